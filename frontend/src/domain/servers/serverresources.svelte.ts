import type { ArgumentQuery, CompletionItem, MCPServer, ServerOffers, ServerPrompt } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from '../conversation/conversations.svelte';
import type { Store } from '../store/store.svelte';

/** A prompt of a server, as a slash command of the composer. */
export interface PromptCommand {
  command: string;
  server: string;
  prompt: ServerPrompt;
}

/** Returns a server's name in the form that slash commands use. */
const slug = (name: string) => name.trim().replace(/\s+/g, '-');

/** The resources and prompts of MCP servers, and the prompt that is being inserted into a message. */
export class ServerResources {
  /** The resources and prompts by server name. Only servers that run and have answered are included. */
  #offers = $state.raw<Record<string, ServerOffers>>({});
  failed = $state<Record<string, string>>({});
  /** The prompt whose arguments the person is filling in, null for none. */
  asking = $state.raw<PromptCommand | null>(null);
  readonly #asked: Record<string, string> = {};

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly conversations: Conversations,
  ) {}

  of(server: string): ServerOffers | undefined {
    return this.#offers[server];
  }

  /** Returns a text that changes when a server's resources and prompts must be read again; "" while it does not run. */
  refreshKey(server: MCPServer): string {
    const runs = server.state === 'ready' || server.state === 'degraded';
    return runs ? `${server.command} ${this.store.state.serverUpdates[server.name]?.lists ?? 0}` : '';
  }

  /** Reads a server's resources and prompts if they may have changed, or with `force`. */
  async refresh(server: MCPServer, force = false): Promise<void> {
    const { name } = server;
    const key = this.refreshKey(server);
    if (this.#asked[name] === key && !force) return;
    this.#asked[name] = key;
    if (!key) {
      this.#put(name, undefined);
      return;
    }
    try {
      const offers = await this.actions.backend.resources.offers(name);
      if (this.#asked[name] === key) this.#put(name, offers);
    } catch (error) {
      if (this.#asked[name] !== key) return;
      this.#asked[name] = '';
      this.#put(name, undefined, failureText(error));
    }
  }

  #put(server: string, offers: ServerOffers | undefined, failed = ''): void {
    const { [server]: _, ...others } = this.#offers;
    this.#offers = offers ? { ...others, [server]: offers } : others;
    this.failed = { ...this.failed, [server]: failed };
  }

  /** The prompts of all running servers. */
  get commands(): PromptCommand[] {
    return Object.entries(this.#offers).flatMap(([server, { prompts }]) =>
      prompts.map((prompt) => ({ command: `/${slug(server)}:${prompt.name}`, server, prompt })),
    );
  }

  /** Returns the prompts that complete the text. */
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

  /** Returns the prompt that the text names, if any. */
  named(text: string): PromptCommand | undefined {
    const word = text.trim();
    return word.startsWith('/') ? this.commands.find(({ command }) => command === word) : undefined;
  }

  /** Asks for the arguments of a prompt, or inserts a prompt without arguments. Returns false when that failed. */
  async begin(found: PromptCommand): Promise<boolean> {
    if (!found.prompt.arguments.length) return this.fill(found, {});
    this.asking = found;
    return true;
  }

  /** Inserts a prompt with its arguments into the composer. Returns false when that failed. */
  async fill({ server, prompt, command }: PromptCommand, args: Record<string, string>): Promise<boolean> {
    return this.actions.attempt(
      this.actions.backend.resources.fill(server, prompt.name, args).then((draft) => {
        const before = this.conversations.draft.trim() === command ? '' : this.conversations.draft.trim();
        this.conversations.setDraft([before, draft.text].filter(Boolean).join('\n\n'));
        this.conversations.attachments.addSource(server, draft.left);
        for (const one of draft.attached) this.conversations.attachments.attach(one);
        this.asking = null;
      }),
    );
  }

  /** Returns a server's completions for an argument, or none if the server does not offer any. */
  async complete(server: string, query: ArgumentQuery): Promise<string[]> {
    if (!this.of(server)?.completes) return [];
    try {
      return (await this.actions.backend.resources.complete(server, query)).slice(0, 8);
    } catch {
      return []; // completions are optional
    }
  }
}
