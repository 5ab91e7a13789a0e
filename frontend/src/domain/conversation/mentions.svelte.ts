import { environmentTool } from '../../shared/api/navigation';
import type { CompletionItem, StoredFile } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import type { Store } from '../store/store.svelte';
import type { Conversations } from './conversations.svelte';

/** Something that `@` in the message box attaches. */
export interface Mention extends CompletionItem {
  take: () => Promise<void> | void;
}

const FILES_MAX = 6;
const OTHERS_MAX = 3;
const PATTERN = /(^|\s)@([^\s@]*)$/;

/** Returns the words after the `@` before the cursor; null if there is none. */
export const mentionWords = (text: string): string | null => PATTERN.exec(text)?.[2] ?? null;

/** Returns the text before the cursor without the `@` and its words. */
export const withoutMention = (text: string): string => text.replace(PATTERN, '$1');

/** Finds what `@` can attach: workspace files, open tabs, notes, panels and earlier conversations. */
export class Mentions {
  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly conversations: Conversations,
  ) {}

  /** Returns the matches of the text before the cursor, none if it does not end in a mention. */
  async find(text: string): Promise<Mention[]> {
    const words = mentionWords(text);
    if (words === null) return [];
    const has = (name: string) => name.toLowerCase().includes(words.toLowerCase());
    const { files } = this.actions.backend;
    const [paths, notes] = await Promise.all([files.paths(words).catch(() => []), files.notes('').catch(() => [])]);
    const { browser, panels } = this.store.state;
    const mention = (show: string, means: string, take: Mention['take']): Mention => ({
      insert: withoutMention(text),
      show: `@${show}`,
      means,
      take,
    });
    const attach = (name: string, read: () => Promise<StoredFile>, source?: string) =>
      this.conversations.attachments.add(name, read, source);
    return [
      ...paths
        .slice(0, FILES_MAX)
        .map((path) =>
          mention(path, t('mention.file'), () => attach(path, () => this.actions.backend.storeWorkspaceFile(path))),
        ),
      ...browser.tabs
        .filter((tab) => /^https?:/.test(tab.url) && (has(tab.title) || has(tab.url)))
        .slice(0, OTHERS_MAX)
        .map((tab) => {
          const name = tab.title || new URL(tab.url).host;
          return mention(name, t('mention.tab'), () =>
            attach(`${name}.txt`, () => this.#tabText(tab.id, name, tab.url), new URL(tab.url).origin),
          );
        }),
      ...notes
        .filter((note) => has(note.name))
        .slice(0, OTHERS_MAX)
        .map((note) =>
          mention(note.name, t('mention.note'), () =>
            attach(`${note.name}.md`, async () => this.#store(`${note.name}.md`, (await files.text(note.path)).text)),
          ),
        ),
      ...this.conversations.topLevel
        .filter((one) => one.id !== this.conversations.currentId && one.title && has(one.title))
        .slice(0, OTHERS_MAX)
        .map((one) =>
          mention(one.title, t('mention.conversation'), () =>
            attach(`${one.title}.txt`, () => this.#conversationText(one.id, one.title)),
          ),
        ),
      ...panels
        .filter((panel) => has(panel.title))
        .slice(0, OTHERS_MAX)
        .map((panel) => ({
          ...mention(panel.title, t('mention.panel'), () => {}),
          insert: `${withoutMention(text)}the ${panel.title} panel `,
        })),
    ];
  }

  #store(name: string, text: string): Promise<StoredFile> {
    return this.actions.backend.storeFile(name, new Blob([text]));
  }

  async #tabText(tab: number, name: string, url: string): Promise<StoredFile> {
    const result = await this.actions.backend.execute(environmentTool('content'), { tab }, '');
    const { text } = (result.result ?? {}) as { text?: string };
    if (!result.success || !text) throw new Error(result.error ?? t('mention.unread'));
    return this.#store(`${name}.txt`, `${url}\n\n${text}`);
  }

  async #conversationText(id: string, title: string): Promise<StoredFile> {
    const { events } = await this.actions.backend.transcript(id);
    const lines = (events ?? []).flatMap((event) => {
      if (event.kind !== 'message.added') return [];
      const { role, text } = event.data as { role: string; text: string };
      return (role === 'user' || role === 'assistant') && text ? [`${role}: ${text}`] : [];
    });
    return this.#store(`${title}.txt`, lines.join('\n\n'));
  }
}
