import type { ArgumentQuery, CompletionItem, MCPServer, ServerOffers, ServerPrompt } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from '../conversation/conversation.svelte';
import type { Store } from '../store/store.svelte';

/** A prompt of a server, as a word of the composer. */
export interface PromptCommand {
  command: string;
  server: string;
  prompt: ServerPrompt;
}

/** A server's name as part of a word that begins with a slash. */
const slug = (name: string) => name.trim().replace(/\s+/g, '-');

/** What servers offer beside tools, read again when they say that it changed; and prompts on their way into a message. */
export class Shelves {
  /** By server; of one that was not asked, or does not run, there is none. */
  #offers = $state.raw<Record<string, ServerOffers>>({});
  failed = $state<Record<string, string>>({});
  /** The prompt whose arguments are asked for. */
  asking = $state.raw<PromptCommand | null>(null);
  readonly #asked: Record<string, string> = {};

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly talk: Conversations,
  ) {}

  of(server: string): ServerOffers | undefined {
    return this.#offers[server];
  }

  /** What the offers of a server depend on. */
  state(server: MCPServer): string {
    const runs = server.state === 'ready' || server.state === 'degraded';
    return runs ? `${server.command} ${this.store.state.serverUpdates[server.name]?.lists ?? 0}` : '';
  }

  /** Asks a server what it offers, unless that was done as things stand. */
  async refresh(server: MCPServer, anyhow = false): Promise<void> {
    const { name } = server;
    const state = this.state(server);
    if (this.#asked[name] === state && !anyhow) return;
    this.#asked[name] = state;
    if (!state) {
      this.#put(name, undefined);
      return;
    }
    try {
      const offers = await this.actions.backend.resources.offers(name);
      if (this.#asked[name] === state) this.#put(name, offers);
    } catch (error) {
      if (this.#asked[name] !== state) return;
      this.#asked[name] = '';
      this.#put(name, undefined, failureText(error));
    }
  }

  #put(server: string, offers: ServerOffers | undefined, failed = ''): void {
    const { [server]: _, ...others } = this.#offers;
    this.#offers = offers ? { ...others, [server]: offers } : others;
    this.failed = { ...this.failed, [server]: failed };
  }

  /** The prompts of all servers that run. */
  get commands(): PromptCommand[] {
    return Object.entries(this.#offers).flatMap(([server, { prompts }]) =>
      prompts.map((prompt) => ({ command: `/${slug(server)}:${prompt.name}`, server, prompt })),
    );
  }

  /** Prompts whose word begins with what is written. */
  async offersFor(text: string): Promise<CompletionItem[]> {
    if (!/^\/\S*$/.test(text)) return [];
    await Promise.all(this.store.state.servers.map((server) => this.refresh(server)));
    const typed = text.toLowerCase();
    return this.commands
      .filter(
        ({ command }) =>
          command.toLowerCase().startsWith(typed) || command.toLowerCase().includes(`:${typed.slice(1)}`),
      )
      .slice(0, 8)
      .map(({ command, prompt }) => ({ insert: command, show: command, means: prompt.about || prompt.title }));
  }

  /** The prompt whose word the text is. */
  named(text: string): PromptCommand | undefined {
    const word = text.trim();
    return word.startsWith('/') ? this.commands.find(({ command }) => command === word) : undefined;
  }

  /** Begins to use a prompt: one without arguments becomes the draft at once. False when that failed. */
  async begin(found: PromptCommand): Promise<boolean> {
    if (!found.prompt.arguments.length) return this.fill(found, {});
    this.asking = found;
    return true;
  }

  /** Fills in a prompt and puts what comes of it into the composer, to be looked at; false when it failed. */
  async fill({ server, prompt, command }: PromptCommand, args: Record<string, string>): Promise<boolean> {
    return this.actions.ask(
      this.actions.backend.resources.fill(server, prompt.name, args).then((draft) => {
        const before = this.talk.draft.trim() === command ? '' : this.talk.draft.trim();
        this.talk.write([before, draft.text].filter(Boolean).join('\n\n'));
        this.talk.given.worded(server, draft.left);
        for (const one of draft.attached) this.talk.given.attach(one);
        this.asking = null;
      }),
    );
  }

  /** A server's proposals for an argument; none when it has none, or cannot be asked. */
  async complete(server: string, written: ArgumentQuery): Promise<string[]> {
    if (!this.of(server)?.completes) return [];
    try {
      return (await this.actions.backend.resources.complete(server, written)).slice(0, 8);
    } catch {
      return []; // one writes on without
    }
  }
}
