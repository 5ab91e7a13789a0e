import type { Backend } from '../../shared/api/backend';
import type { Completion, CompletionItem, PilotCommand } from '../../shared/api/types';

/** Pause in typing before completions are requested. */
const PAUSE_MS = 40;
/** Longer texts get no completions. */
const TEXT_MAX = 2000;

/** Completions of the message that is being typed, and the commands of the pilot. */
export class Completions {
  items = $state.raw<CompletionItem[]>([]);
  /** The hint for what is still missing, shown after the text. */
  ghost = $state('');
  /** The selected row, -1 for none. */
  chosen = $state(-1);
  /** Every command of the pilot; empty until `load`. */
  commands = $state.raw<PilotCommand[]>([]);
  #asked = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** `more` gives further completions. */
  constructor(
    private readonly backend: Pick<Backend, 'complete' | 'pilotGrammar'>,
    private readonly more: (text: string) => Promise<CompletionItem[]> = async () => [],
  ) {}

  /** Requests completions for the text before the cursor and drops earlier requests. */
  ask(text: string, panel: string): void {
    this.close();
    if (!text.trim() || text.length > TEXT_MAX) return;
    const asked = this.#asked;
    this.#pause = setTimeout(() => void this.#fetch(text, panel, asked), PAUSE_MS);
  }

  /** Hides the completions. */
  close(): void {
    clearTimeout(this.#pause);
    this.#asked++;
    this.items = [];
    this.ghost = '';
    this.chosen = -1;
  }

  /** Selects the next or previous row; after the last comes none, so that Enter sends the text. */
  move(by: 1 | -1): void {
    const places = this.items.length + 1;
    this.chosen = ((this.chosen + 1 + by + places) % places) - 1;
  }

  /** The row that Tab inserts: the selected one, else the first. */
  get offer(): CompletionItem | undefined {
    return this.items[Math.max(0, this.chosen)];
  }

  async load(): Promise<void> {
    if (this.commands.length) return;
    try {
      this.commands = await this.backend.pilotGrammar();
    } catch {
      // Loaded again when the commands are shown the next time.
    }
  }

  async #fetch(text: string, panel: string, asked: number): Promise<void> {
    let found: Completion;
    let more: CompletionItem[];
    try {
      [found, more] = await Promise.all([this.backend.complete(text, panel), this.more(text)]);
    } catch {
      return; // no completions
    }
    if (asked !== this.#asked) return;
    this.items = [...more, ...(found.items ?? [])];
    this.ghost = found.ghost ?? '';
  }
}

/** Steps through sent messages with the arrow keys while the draft is empty or one of them. */
export class Sent {
  #at = 0;
  #shown = '';

  /** The message `by` steps back (1) or forward (-1); null leaves what is written. */
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
