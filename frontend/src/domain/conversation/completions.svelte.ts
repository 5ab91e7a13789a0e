import type { Backend } from '../../shared/api/backend';
import type { Completion, CompletionItem, PilotCommand } from '../../shared/api/types';

/** The pause in typing before completions are requested, in milliseconds. */
const PAUSE_MS = 40;
/** Longer texts, in characters, are not completed. */
const TEXT_MAX = 2000;

/** The completions of the message being typed, and the commands of the pilot. */
export class Completions {
  items = $state.raw<CompletionItem[]>([]);
  /** A hint about the missing rest of the command, shown after the text. */
  ghost = $state('');
  /** The index of the selected row, -1 for none. */
  chosen = $state(-1);
  /** All commands of the pilot; empty before `load`. */
  commands = $state.raw<PilotCommand[]>([]);
  #request = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** `more` returns additional completions for a text. */
  constructor(
    private readonly backend: Pick<Backend, 'complete' | 'pilotGrammar'>,
    private readonly more: (text: string) => Promise<CompletionItem[]> = async () => [],
  ) {}

  /**
   * Requests completions for the text before the cursor and drops earlier requests. With `only`, they come from there
   * alone.
   */
  ask(text: string, panel: string, only?: (text: string) => Promise<CompletionItem[]>): void {
    this.close();
    if (!text.trim() || text.length > TEXT_MAX) return;
    const request = this.#request;
    this.#pause = setTimeout(() => void this.#fetch(text, panel, request, only), PAUSE_MS);
  }

  /** Hides the completions. */
  close(): void {
    clearTimeout(this.#pause);
    this.#request++;
    this.items = [];
    this.ghost = '';
    this.chosen = -1;
  }

  /** Selects the next or previous row. After the last row no row is selected, so that Enter sends the text. */
  move(by: 1 | -1): void {
    const places = this.items.length + 1;
    this.chosen = ((this.chosen + 1 + by + places) % places) - 1;
  }

  /** The row that Tab inserts: the selected one, else the first. */
  get suggestion(): CompletionItem | undefined {
    return this.items[Math.max(0, this.chosen)];
  }

  async load(): Promise<void> {
    if (this.commands.length) return;
    try {
      this.commands = await this.backend.pilotGrammar();
    } catch {
      // They are loaded again when they are next shown.
    }
  }

  async #fetch(
    text: string,
    panel: string,
    request: number,
    only?: (text: string) => Promise<CompletionItem[]>,
  ): Promise<void> {
    let found: Completion;
    let more: CompletionItem[];
    try {
      [found, more] = only
        ? [{ items: [], ghost: '' }, await only(text)]
        : await Promise.all([this.backend.complete(text, panel), this.more(text)]);
    } catch {
      return; // a message can be written without completions
    }
    if (request !== this.#request) return;
    this.items = [...more, ...(found.items ?? [])];
    this.ghost = found.ghost ?? '';
  }
}

/** Steps through the sent messages with the arrow keys, as long as the draft is empty or the message last shown. */
export class MessageHistory {
  #at = 0;
  #shown = '';

  /** Returns the previous (`by` 1) or next (`by` -1) of `sent`, "" after the newest, null if the draft must stay. */
  step(sent: string[], draft: string, by: 1 | -1): string | null {
    if (draft !== '' && draft !== this.#shown) return null;
    if (draft === '') this.#at = 0;
    const at = this.#at + by;
    if (at < 0 || at > sent.length || (at === 0 && draft === '')) return null;
    this.#at = at;
    this.#shown = at === 0 ? '' : sent[sent.length - at]!;
    return this.#shown;
  }
}
