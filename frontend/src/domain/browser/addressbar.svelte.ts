import type { LocalServer, Visit } from '../../shared/api/types';
import { isAddress } from '../../shared/format/address';
import type { Actions } from '../actions';
import type { Bookmarks } from './bookmarks.svelte';
import type { Browser } from './browser.svelte';

/**
 * A place that the address bar offers: an open tab, a bookmark, a server of the workspace, a visited page, or what Enter
 * does with the text.
 */
export interface Suggestion {
  kind: 'address' | 'search' | 'tab' | 'bookmark' | 'server' | 'visit';
  url: string;
  title: string;
  /** The number of an open tab. */
  tab?: number;
}

const MAX_SUGGESTIONS = 8;
const MAX_SERVERS = 3;

/** Suggests where to go for the text in the address bar. */
export class AddressBar {
  suggestions = $state<Suggestion[]>([]);
  /** The index of the selected suggestion, -1 for the typed text. */
  selected = $state(-1);
  #revision = 0;
  /** The servers of the workspace, looked for once each time that the suggestions open. */
  #servers: Promise<LocalServer[]> | null = null;

  constructor(
    private readonly browser: Browser,
    private readonly bookmarks: Bookmarks,
    private readonly actions: Actions,
  ) {}

  /** Suggests places for a text, or the servers of the workspace and the pages that are visited most for "". */
  async suggest(text: string): Promise<void> {
    const revision = ++this.#revision;
    const query = text.trim();
    this.#show(query, [], []);
    const { backend } = this.actions;
    this.#servers ??= backend.localServers().catch(() => []);
    const [visits, servers] = await Promise.all([
      backend.visits(query, true, MAX_SUGGESTIONS).catch(() => []),
      this.#servers,
    ]);
    if (revision === this.#revision) this.#show(query, visits, servers);
  }

  close(): void {
    this.#revision++;
    this.#servers = null;
    this.suggestions = [];
    this.selected = -1;
  }

  /** Selects the next or previous suggestion. Before the first and after the last is the typed text. */
  move(by: 1 | -1): void {
    const count = this.suggestions.length + 1;
    this.selected = ((this.selected + 1 + by + count) % count) - 1;
  }

  /** Goes to the selected suggestion, or to the typed text. */
  async go(text: string, at = this.selected): Promise<void> {
    const place = this.suggestions[at];
    this.close();
    if (place?.tab) this.browser.selectTab(place.tab);
    else if (place && place.kind !== 'search') await this.browser.navigate(place.url);
    else await this.browser.navigate(text);
  }

  #show(query: string, visits: Visit[], servers: LocalServer[]): void {
    const words = query.toLowerCase().split(/\s+/);
    const fits = (url: string, title: string) => {
      const text = `${url} ${title}`.toLowerCase();
      return query !== '' && words.every((word) => text.includes(word));
    };
    const here = servers.filter((one) => !query || fits(one.url, one.program));
    const found: Suggestion[] = query
      ? [{ kind: isAddress(query) ? 'address' : 'search', url: query, title: query }]
      : [];
    const { tabs, active } = this.browser.state;
    const open = tabs.filter((tab) => tab.id !== active && fits(tab.url, tab.title));
    const bookmarked = this.bookmarks.list.filter((one) => fits(one.url, one.title));
    const places: Suggestion[] = [
      ...open.map(({ id, url, title }) => ({ kind: 'tab' as const, url, title, tab: id })),
      ...bookmarked.slice(0, 3).map(({ url, title }) => ({ kind: 'bookmark' as const, url, title })),
      ...here.slice(0, MAX_SERVERS).map(({ url, program }) => ({ kind: 'server' as const, url, title: program })),
      ...visits.map(({ url, title }) => ({ kind: 'visit' as const, url, title })),
    ];
    for (const place of places) if (!found.some(({ url }) => url === place.url)) found.push(place);
    this.suggestions = found.slice(0, MAX_SUGGESTIONS);
    this.selected = Math.min(this.selected, this.suggestions.length - 1);
  }
}
