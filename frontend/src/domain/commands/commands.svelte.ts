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
  /** What a message to the command pilot calls it, separated by "|". Without it, no message runs the command. */
  words?: string;
  /** Whether the palette leaves the command out. */
  hidden?: boolean;
  run: () => void;
}

/** Words of a message that do not change which command it names. */
const FILLER =
  /\b(please|can you|could you|i want to|i want|i'd like|let's|the|a|an|to|it|me|my|this|start|begin|open|switch|change|turn on|use|set|make|go|into|page)\b/g;

/** The registered commands. */
export class Commands {
  #all = $state.raw<Command[]>([]);

  /** The id of the command for which the next key press is a new shortcut, "" for none. */
  recording = $state('');
  #known = $state.raw<Command[]>([]);

  /** `chosen` returns the shortcuts that the person chose by the ids of commands, "" for none. */
  constructor(
    private readonly ownWindow: boolean,
    private readonly chosen: () => Record<string, string>,
  ) {}

  get list(): Command[] {
    return this.#all;
  }

  /** All commands that were ever added, also those of panels that are not shown. */
  get known(): Command[] {
    return this.#known;
  }

  /** Adds commands and replaces those with the same id. The returned function removes them. */
  add(commands: Command[]): () => void {
    // Views add commands in effects, which must not depend on the list.
    const ids = commands.map((command) => command.id);
    const others = untrack(() => this.#all).filter((command) => !ids.includes(command.id));
    this.#all = [...others, ...commands];
    this.#known = [...untrack(() => this.#known).filter((command) => !ids.includes(command.id)), ...commands];
    return () => {
      this.#all = untrack(() => this.#all).filter((command) => !commands.includes(command));
    };
  }

  run(id: string): void {
    const command = this.#all.find((c) => c.id === id);
    if (command && !command.disabledReason?.()) command.run();
  }

  /** Returns the command that a message names by its words, politely or not, unless it is disabled. */
  named(message: string): Command | undefined {
    const plain = message
      .toLowerCase()
      .replace(/[.!?,]/g, '')
      .replace(FILLER, ' ')
      .trim()
      .replace(/\s+/g, ' ');
    return this.#all.find((command) => command.words?.split('|').includes(plain) && !command.disabledReason?.());
  }

  /** Returns the label of the command's shortcut in this window, "" when there is none. */
  key(id: string): string {
    const command = this.#known.find((c) => c.id === id);
    if (!command) return '';
    const chord = this.chosen()[id] ?? (this.ownWindow ? undefined : command.fallback?.[0]) ?? command.keys?.[0];
    return chord ? chordLabel(chord) : '';
  }

  /** Returns the command with a chord, also one of a panel that is not shown. */
  withChord(chord: string): Command | undefined {
    return this.#known.find((command) => this.#chords(command).includes(chord));
  }

  #chords(command: Command): string[] {
    const chosen = this.chosen()[command.id];
    if (chosen !== undefined) return chosen ? [chosen] : [];
    return [...(command.keys ?? []), ...(command.fallback ?? [])];
  }

  /** Runs the command of a key press unless it is disabled. Returns false when no command has that key. */
  press(event: KeyboardEvent): boolean {
    if (isComposing(event) || this.recording) return false;
    for (const command of this.#all) {
      if (!this.#chords(command).some((chord) => matchesChord(event, chord))) continue;
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
