import type { Backend } from '../../shared/api/backend';
import type { Completion, CompletionItem, PilotCommand } from '../../shared/api/types';

/** How long a pause in typing is before the program is asked, in milliseconds. */
const PAUSE_MS = 40;
const MOST = 2000;

/** How the message that is being written may go on, as the program says; its commands. */
export class Completing {
  items = $state.raw<CompletionItem[]>([]);
  /** What is still missing after the text. */
  ghost = $state('');
  /** The row that is chosen, -1 for none. */
  chosen = $state(-1);
  /** Every command of the pilot; empty until they were asked for. */
  commands = $state.raw<PilotCommand[]>([]);
  #asked = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** `more` gives what else a text may become. */
  constructor(
    private readonly backend: Pick<Backend, 'complete' | 'pilotGrammar'>,
    private readonly more: (text: string) => Promise<CompletionItem[]> = async () => [],
  ) {}

  /** Asks how the text before the cursor goes on; what was asked before is not waited for any more. */
  ask(text: string, panel: string): void {
    this.close();
    if (!text.trim() || text.length > MOST) return;
    const asked = this.#asked;
    this.#pause = setTimeout(() => void this.#fetch(text, panel, asked), PAUSE_MS);
  }

  /** Offers nothing until it is asked again. */
  close(): void {
    clearTimeout(this.#pause);
    this.#asked++;
    this.items = [];
    this.ghost = '';
    this.chosen = -1;
  }

  /** Chooses the next or previous row; after the last comes none, so that Enter sends what is written. */
  move(by: 1 | -1): void {
    const places = this.items.length + 1;
    this.chosen = ((this.chosen + 1 + by + places) % places) - 1;
  }

  /** The row that Tab takes: the chosen one, else the first. */
  get offer(): CompletionItem | undefined {
    return this.items[Math.max(0, this.chosen)];
  }

  async load(): Promise<void> {
    if (this.commands.length) return;
    try {
      this.commands = await this.backend.pilotGrammar();
    } catch {
      // Whoever shows them shows none, and asks again when it is shown again.
    }
  }

  async #fetch(text: string, panel: string, asked: number): Promise<void> {
    let found: Completion;
    let more: CompletionItem[];
    try {
      [found, more] = await Promise.all([this.backend.complete(text, panel), this.more(text)]);
    } catch {
      return; // one types on without
    }
    if (asked !== this.#asked) return;
    this.items = [...more, ...(found.items ?? [])];
    this.ghost = found.ghost ?? '';
  }
}

/** The messages that were sent, walked with the arrows while nothing else is written. */
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
