import { untrack } from 'svelte';
import { chordLabel, isComposing, matchesChord } from '../../shared/format/keys';
import type { IconName } from '../../shared/ui/icons';

/** A command that can be run by a button, a key or the palette. */
export interface Command {
  id: string;
  title: string;
  /** Chords that run the command. The first is shown as its shortcut, in a web browser the first `fallback` if any. */
  keys?: string[];
  /** Further chords that run the command, for web browsers that reserve the first of `keys` for themselves. */
  fallback?: string[];
  icon?: IconName;
  /** Returns why the command is disabled now, "" when it is enabled. */
  disabledReason?: () => string;
  /** Whether the palette leaves the command out. */
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

  /** Adds commands and replaces those with the same id. The returned function removes them. */
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
    if (command && !command.disabledReason?.()) command.run();
  }

  /** Returns the label of the command's shortcut in this window, "" when there is none. */
  key(id: string): string {
    const command = this.#all.find((c) => c.id === id);
    const chord = (this.ownWindow ? undefined : command?.fallback?.[0]) ?? command?.keys?.[0];
    return chord ? chordLabel(chord) : '';
  }

  /** Runs the command of a key press unless it is disabled. Returns false when no command has that key. */
  press(event: KeyboardEvent): boolean {
    if (isComposing(event)) return false;
    for (const command of this.#all) {
      const chords = [...(command.keys ?? []), ...(command.fallback ?? [])];
      if (!chords.some((chord) => matchesChord(event, chord))) continue;
      if (!command.disabledReason?.()) command.run();
      return true;
    }
    return false;
  }
}

/** Reports whether this page is in Sextant's desktop window, where no keys are reserved, instead of a web browser. */
export function inDesktopWindow(): boolean {
  const w = window as { webkit?: { messageHandlers?: { external?: unknown } }; chrome?: { webview?: unknown } };
  return Boolean(w.webkit?.messageHandlers?.external ?? w.chrome?.webview);
}
