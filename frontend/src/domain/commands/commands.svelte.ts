import { untrack } from 'svelte';
import { chordLabel, composing, matches } from '../../shared/format/keys';
import type { IconName } from '../../shared/ui/icons';

/** A command that buttons, keys and the palette run. */
export interface Command {
  id: string;
  title: string;
  /** Chords that run it; the first is the one shown. */
  keys?: string[];
  /** Chords for a web browser that uses the first itself. */
  fallback?: string[];
  icon?: IconName;
  /** Why it is disabled now, "" or absent when it is not. */
  off?: () => string;
  /** Not offered in the palette. */
  hidden?: boolean;
  run: () => void;
}

/** The registered commands. */
export class Commands {
  #all = $state.raw<Command[]>([]);

  constructor(private readonly ownWindow: boolean) {}

  get list(): Command[] {
    return this.#all;
  }

  /** Adds commands, replacing those of the same id; the returned function removes them. */
  add(commands: Command[]): () => void {
    // Views add commands in effects, which must not depend on the list.
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

  /** The label of the key that works here, "" when there is none. */
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

/** Whether Sextant's desktop window shows this page, which leaves all keys to it. */
export function inDesktopWindow(): boolean {
  const w = window as { webkit?: { messageHandlers?: { external?: unknown } }; chrome?: { webview?: unknown } };
  return Boolean(w.webkit?.messageHandlers?.external ?? w.chrome?.webview);
}
