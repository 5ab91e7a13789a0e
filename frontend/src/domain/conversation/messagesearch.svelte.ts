import type { SearchHit, SearchPage } from '../../shared/api/types';
import { BackendError } from '../../shared/api/client';
import { failureText, type Actions } from '../actions';
import type { Conversations } from './conversations.svelte';

/** Pause in typing before a search. */
const PAUSE_MS = 120;

/** Searches messages while the person types. An outdated answer is dropped. Each view has its own search. */
export class MessageSearch {
  /** The text that `hits` belong to. */
  searched = $state('');
  hits = $state.raw<SearchHit[]>([]);
  /** Whether there are more hits than the shown ones. */
  more = $state(false);
  /** Whether older messages are still being indexed. */
  indexing = $state(false);
  failed = $state('');
  #query = '';
  #request = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly actions: Actions,
    private readonly conversations: Conversations,
    private readonly limit = 30,
  ) {}

  /** Searches for a text after a pause in typing, in one conversation or, with "", in all of them. */
  type(query: string, conversation = ''): void {
    if (query === this.#query) return;
    this.#query = query;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(query, conversation), query.trim() ? PAUSE_MS : 0);
  }

  /** Searches now. Call it when Enter is pressed, so that the hits belong to the text. */
  async search(query: string, conversation = ''): Promise<void> {
    clearTimeout(this.#timer);
    this.#query = query;
    if (this.searched === query && !this.failed) return;
    const request = ++this.#request;
    let page: SearchPage = { hits: [] };
    let failed = '';
    try {
      if (query.trim()) page = await this.actions.backend.search(query, conversation, this.limit);
    } catch (error) {
      // A mistake in a filter is explained by the program in a sentence of its own.
      failed = error instanceof BackendError && error.status === 400 ? error.detail : failureText(error);
    }
    if (request !== this.#request) return;
    this.hits = page.hits ?? [];
    this.more = Boolean(page.next);
    this.indexing = page.indexing ?? false;
    this.failed = failed;
    this.searched = query;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#request++;
    this.#query = this.searched = this.failed = '';
    this.hits = [];
    this.more = false;
  }

  /** Shows a hit. A hit in a subagent's conversation is shown at the call that started the subagent. */
  open(hit: SearchHit): Promise<void> {
    const { conversation, seq } = hit.parent ?? hit;
    return seq ? this.conversations.openAt(conversation, seq) : this.conversations.open(conversation);
  }
}
