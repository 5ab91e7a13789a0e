import type { ArgumentQuery, CompletionItem, MCPServer, ServerOffers, ServerPrompt } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Conversations } from '../conversation/conversations.svelte';
import type { Store } from '../store/store.svelte';

/** A prompt of a server as a slash command of the composer. */
export interface PromptCommand {
  command: string;
  server: string;
  prompt: ServerPrompt;
}

/** A server's name as part of a slash command. */
const slug = (name: string) => name.trim().replace(/\s+/g, '-');

/** Resources and prompts of MCP servers, and prompts that are inserted into a message. */
export class ServerResources {
  /** By server; only of running servers that were asked. */
  #offers = $state.raw<Record<string, ServerOffers>>({});
  failed = $state<Record<string, string>>({});
  /** The prompt whose arguments the person fills in. */
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

  /** Changes when the offers have to be read again. */
  state(server: MCPServer): string {
    const runs = server.state === 'ready' || server.state === 'degraded';
    return runs ? `${server.command} ${this.store.state.serverUpdates[server.name]?.lists ?? 0}` : '';
  }

  /** Reads what a server offers if that may have changed, or with `force`. */
  async refresh(server: MCPServer, force = false): Promise<void> {
    const { name } = server;
    const state = this.state(server);
    if (this.#asked[name] === state && !force) return;
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

  /** Prompts as completions of the text. */
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

  /** The prompt that the text names. */
  named(text: string): PromptCommand | undefined {
    const word = text.trim();
    return word.startsWith('/') ? this.commands.find(({ command }) => command === word) : undefined;
  }

  /** Starts using a prompt; one without arguments is inserted at once. False when that failed. */
  async begin(found: PromptCommand): Promise<boolean> {
    if (!found.prompt.arguments.length) return this.fill(found, {});
    this.asking = found;
    return true;
  }

  /** Inserts a filled-in prompt into the composer; false when that failed. */
  async fill({ server, prompt, command }: PromptCommand, args: Record<string, string>): Promise<boolean> {
    return this.actions.ask(
      this.actions.backend.resources.fill(server, prompt.name, args).then((draft) => {
        const before = this.conversations.draft.trim() === command ? '' : this.conversations.draft.trim();
        this.conversations.setDraft([before, draft.text].filter(Boolean).join('\n\n'));
        this.conversations.attachments.addSource(server, draft.left);
        for (const one of draft.attached) this.conversations.attachments.attach(one);
        this.asking = null;
      }),
    );
  }

  /** A server's completions for an argument; none when it cannot be asked. */
  async complete(server: string, query: ArgumentQuery): Promise<string[]> {
    if (!this.of(server)?.completes) return [];
    try {
      return (await this.actions.backend.resources.complete(server, query)).slice(0, 8);
    } catch {
      return []; // completions are optional
    }
  }
}
