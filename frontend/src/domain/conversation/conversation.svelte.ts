import type { Conversation, Model, StoredEvent, Waiting } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Panels } from '../panels/panels.svelte';
import type { Settings } from '../settings/settings.svelte';
import type { CallView, Item, TranscriptView } from '../store/state';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';
import { shownItems, shownSources } from './branches';
import { Drafts } from './drafts';
import { Giving, type Given } from './given.svelte';

/** The model that needs nothing. */
export const PILOT = 'pilot';

/** The conversation that is shown: reading it, writing to it, stopping it, and its draft. */
export class Conversations {
  /** "" while nothing was sent yet: the conversation is made with its first message. */
  currentId = $state('');
  loading = $state(false);
  failed = $state('');
  draft = $state('');
  stopping = $state(false);
  sending = $state(false);
  /** Events that arrive while conversations are being read, by conversation. */
  readonly #missed = new Map<string, StoredEvent[]>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #drafts = new Drafts(
    (key) => this.settings.value(key),
    (key, text) => this.actions.backend.setting(key, text),
  );
  /** What goes with the draft. */
  readonly given = new Giving(this.#drafts);

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly settings: Settings,
    private readonly panels: Panels,
    private readonly toasts: Toasts,
  ) {}

  get current(): Conversation | undefined {
    return this.store.state.conversations.find((c) => c.id === this.currentId);
  }

  /** Those that a person began; the others are the talks of subagents. */
  get own(): Conversation[] {
    return this.store.state.conversations.filter((c) => !c.parent);
  }

  /** The talk that a subagent's works for; none for a person's own. */
  get parent(): Conversation | undefined {
    const parent = this.current?.parent;
    return parent ? this.store.state.conversations.find((c) => c.id === parent) : undefined;
  }

  /** The person's own conversation that `id` is or works for. */
  rootOf(id: string): string {
    const parent = this.store.state.conversations.find((c) => c.id === id)?.parent;
    return parent ? this.rootOf(parent) : id;
  }

  /** The talk of the subagent that a call handed its task to. */
  childOf(call: string): Conversation | undefined {
    return this.store.state.conversations.find((c) => c.parent_call === call);
  }

  /** The calls made in a conversation, the oldest first. */
  callsIn(id: string): CallView[] {
    return Object.values(this.store.state.calls)
      .filter((call) => call.conversation === id)
      .sort((a, b) => (a.started < b.started ? -1 : 1));
  }

  get transcript(): TranscriptView | undefined {
    return this.store.state.transcripts[this.currentId];
  }

  /** What is shown of it: the branch that is active. */
  readonly items: Item[] = $derived.by(() => (this.transcript ? shownItems(this.transcript) : []));
  /** Where outside text in what is shown came from. */
  readonly outside: string[] = $derived.by(() => (this.transcript ? shownSources(this.transcript) : []));

  get running(): boolean {
    return this.transcript?.turn?.status === 'running';
  }

  /** The model by name; the pilot when nothing else was chosen. */
  get model(): string {
    return this.settings.value('model') || PILOT;
  }

  get models(): Model[] {
    return this.store.state.models;
  }

  get piloted(): boolean {
    return this.model === PILOT;
  }

  /** Opens the conversation shown last, if it is still there. */
  async resume(): Promise<void> {
    const last = this.settings.seen('conversation');
    const id = this.own.some((c) => c.id === last) ? last : '';
    if (id) await this.open(id);
    else this.#show('');
  }

  onEvent(event: StoredEvent): void {
    this.#missed.get(event.conversation ?? '')?.push(event);
    if (event.kind === 'turn.ended' && event.conversation === this.currentId) this.stopping = false;
    // With a conversation go those of its subagents, of which one may be shown.
    const gone = event.kind === 'conversation.deleted' ? event.data.id : '';
    if (gone && this.currentId && (gone === this.rootOf(this.currentId) || !this.current)) this.fresh();
  }

  async open(id: string): Promise<void> {
    this.currentId = id;
    this.settings.see('conversation', this.rootOf(id));
    this.#show(id);
    this.failed = '';
    this.stopping = false;
    this.loading = !this.transcript;
    try {
      await this.read(id);
    } catch (error) {
      if (this.currentId === id) this.failed = failureText(error);
    } finally {
      if (this.currentId === id) this.loading = false;
    }
  }

  /** Reads a conversation, unless that was done. */
  async read(id: string): Promise<void> {
    if (this.store.state.transcripts[id]) return;
    const reading = this.#reading.get(id) ?? this.#read(id);
    this.#reading.set(id, reading);
    await reading;
  }

  async #read(id: string): Promise<void> {
    const missed: StoredEvent[] = [];
    this.#missed.set(id, missed);
    try {
      const transcript = await this.actions.backend.transcript(id);
      this.store.apply({ is: 'transcript', transcript, missed });
    } finally {
      this.#missed.delete(id);
      this.#reading.delete(id);
    }
  }

  /** An empty place to write; nothing is made until something is sent. */
  fresh(): void {
    this.currentId = '';
    this.loading = false;
    this.failed = '';
    this.settings.see('conversation', '');
    this.#show('');
  }

  /** Puts what was written for a conversation into the composer. */
  #show(id: string): void {
    this.draft = this.#drafts.read(id);
    this.given.open(id);
  }

  /** Lets other programs read it, or not any more; false when that failed, which is told. */
  share(id: string, shared: boolean): Promise<boolean> {
    return this.actions.ask(this.actions.backend.shareConversation(id, shared));
  }

  async rename(id: string, title: string): Promise<void> {
    await this.actions.ask(this.actions.backend.renameConversation(id, title));
  }

  async remove(id: string): Promise<void> {
    const done = await this.actions.ask(this.actions.backend.deleteConversation(id));
    if (!done) return;
    if (id === this.currentId) this.fresh();
    this.given.clear(id);
    this.#drafts.write(id, '');
  }

  /**
   * Sends the text; it stays in the composer until the program has taken it. While a turn runs it
   * waits for the turn's end, or with "now" for its next safe point. With raise the conversation's
   * budget is allowed once more.
   */
  async send(text = this.draft, when: 'now' | 'next' = 'next', raise = false): Promise<boolean> {
    const words = text.trim();
    if (!words || this.sending) return false;
    this.sending = true;
    try {
      // What is sent is settled here: meanwhile one may write on, or look at another conversation.
      const mine = text === this.draft;
      const { attached, from } = this.given;
      const given = mine ? { attached, from } : {};
      const id = this.currentId || (await this.#create());
      await this.actions.backend.send(id, words, this.model, this.panels.activeId, when, raise, given);
      if (mine) this.given.clear(id);
      if (id !== this.currentId) {
        if (this.#drafts.read(id) === text) this.#drafts.write(id, '');
      } else if (text === this.draft) this.write('');
      return true;
    } catch (error) {
      this.toasts.error(failureText(error));
      return false;
    } finally {
      this.sending = false;
    }
  }

  /** Sends the model a summary, or again what it stands for; true when that is so now. */
  async useSummary(id: string, use: boolean): Promise<boolean> {
    return this.actions.ask(this.actions.backend.useSummary(this.currentId, id, use));
  }

  get waiting(): Waiting[] {
    return this.transcript?.waiting ?? [];
  }

  /** Whether a message can be taken into the turn that runs; the pilot does a command whole. */
  get steerable(): boolean {
    return this.running && !this.piloted && this.transcript?.turn?.model !== PILOT;
  }

  async steer(message: Waiting): Promise<void> {
    await this.actions.ask(this.actions.backend.changeWaiting(this.currentId, message.id, 'now'));
  }

  async askWaiting(message: Waiting): Promise<void> {
    await this.actions.ask(this.actions.backend.askWaiting(this.currentId, message.id));
  }

  async dropWaiting(message: Waiting): Promise<boolean> {
    return this.actions.ask(this.actions.backend.dropWaiting(this.currentId, message.id));
  }

  /** Takes a message that waits back into the composer, below what is written there. */
  async editWaiting(message: Waiting): Promise<void> {
    const id = this.currentId;
    if (!(await this.dropWaiting(message))) return;
    this.given.back(id, givenWith(message));
    const below = (draft: string) => [draft.trim(), message.text].filter(Boolean).join('\n\n');
    if (id === this.currentId) this.write(below(this.draft));
    else this.#drafts.write(id, below(this.#drafts.read(id))); // left meanwhile
  }

  async stop(): Promise<void> {
    if (!this.currentId || !this.running) return;
    this.stopping = true;
    if (!(await this.actions.ask(this.actions.backend.stop(this.currentId)))) this.stopping = false;
  }

  async useModel(name: string): Promise<void> {
    await this.settings.set('model', name);
  }

  async refreshModels(): Promise<void> {
    await this.actions.ask(this.actions.backend.models().then((models) => this.store.apply({ is: 'models', models })));
  }

  /** Changes the draft. */
  write(text: string): void {
    this.draft = text;
    this.#drafts.write(this.currentId, text);
    if (!text.trim()) this.given.empty();
  }

  async #create(): Promise<string> {
    const conversation = await this.actions.backend.createConversation('');
    this.store.apply({ is: 'conversation', conversation });
    this.store.apply({ is: 'transcript', transcript: { seq: 0, conversation, events: [] }, missed: [] });
    this.#drafts.born(conversation.id);
    this.given.born(conversation.id);
    if (!this.currentId) {
      this.currentId = conversation.id;
      this.settings.see('conversation', conversation.id);
    }
    return conversation.id;
  }
}

/** What a message that waits came with, by the names of servers. */
function givenWith({ attached, from }: Waiting): Given {
  const server = (source: string) => source.replace(/^mcp:/, '');
  return {
    attached: (attached ?? []).map(({ source, title, text }) => ({ server: server(source), title, text })),
    from: (from ?? []).map(server),
  };
}
