import { untrack } from 'svelte';
import { chordLabel, composing, matches } from '../../shared/format/keys';
import type { IconName } from '../../shared/ui/icons';

/** One thing a person can do. Buttons, keys and the palette are doors to it. */
export interface Command {
  id: string;
  title: string;
  /** Chords that run it; the first is the one shown. */
  keys?: string[];
  /** Chords for where a host browser keeps the first for itself. */
  fallback?: string[];
  icon?: IconName;
  /** Why it cannot be done now, "" or absent when it can. */
  off?: () => string;
  /** Not offered in the palette. */
  hidden?: boolean;
  run: () => void;
}

/** Every command by its id. */
export class Commands {
  #all = $state.raw<Command[]>([]);

  constructor(private readonly ownWindow: boolean) {}

  get list(): Command[] {
    return this.#all;
  }

  /** Adds commands; the returned function takes them away again. A command of the same id is replaced. */
  add(commands: Command[]): () => void {
    // Adding happens in effects of views; it must not make them depend on the list.
    const ids = commands.map((command) => command.id);
    const others = untrack(() => this.#all).filter((command) => !ids.includes(command.id));
    this.#all = [...others, ...commands];
    return () => {
      this.#all = untrack(() => this.#all).filter((command) => !commands.includes(command));
    };
  }

  run(id: string): void {
    const command = this.#all.find((c) => c.id === id);
    if (command && !command.off?.()) command.run();
  }

  /** The key that works here, as a person reads it; "" when there is none. */
  key(id: string): string {
    const command = this.#all.find((c) => c.id === id);
    const chord = (this.ownWindow ? undefined : command?.fallback?.[0]) ?? command?.keys?.[0];
    return chord ? chordLabel(chord) : '';
  }

  /** Runs the command of a key press; true when there was one. */
  press(event: KeyboardEvent): boolean {
    if (composing(event)) return false;
    for (const command of this.#all) {
      const chords = [...(command.keys ?? []), ...(command.fallback ?? [])];
      if (!chords.some((chord) => matches(event, chord))) continue;
      if (!command.off?.()) command.run();
      return true;
    }
    return false;
  }
}

/** Whether this page is shown by Sextant's own window, which leaves all keys to it. */
export function inOwnWindow(): boolean {
  const w = window as { webkit?: { messageHandlers?: { external?: unknown } }; chrome?: { webview?: unknown } };
  return Boolean(w.webkit?.messageHandlers?.external ?? w.chrome?.webview);
}
