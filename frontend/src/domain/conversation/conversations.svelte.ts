import type { Conversation, Model, StoredEvent, WaitingMessage } from '../../shared/api/types';
import type { TranscriptQuery } from '../../shared/api/backend';
import { failureText, type Actions } from '../actions';
import type { Panels } from '../panels/panels.svelte';
import type { Settings } from '../settings/settings.svelte';
import type { CallView, Item, TranscriptView } from '../store/state';
import type { Store } from '../store/store.svelte';
import { t } from '../../shared/i18n';
import { UNDO_MS, type Toasts } from '../toasts.svelte';
import { branchOf } from '../store/branches';
import { shownItems, shownSources } from './branches';
import { Drafts } from './drafts';
import { Attachments, type MessageContext } from './attachments.svelte';

/** About how many messages are loaded at a time. */
const PART = 60;

/** The model name of the pilot, the built-in command interpreter. */
export const PILOT = 'pilot';

/** The shown conversation: its transcript and draft, and sending and stopping messages. */
export class Conversations {
  /** The id of the shown conversation; "" until the first message creates it. */
  currentId = $state('');
  loading = $state(false);
  /** The item that the view scrolls to when it is shown; null for the end of the conversation. */
  target = $state.raw<Item | null>(null);
  failed = $state('');
  draft = $state('');
  stopping = $state(false);
  /** The text that is being sent, and a promise that resolves when it was accepted or refused. */
  #sent = $state.raw<{ text: string; done: Promise<void> } | null>(null);
  /** Events that arrived while a conversation was loading, by its id. */
  readonly #missed = new Map<string, StoredEvent[]>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #drafts = new Drafts(
    (key) => this.settings.value(key),
    (key, text) => this.actions.backend.setting(key, text),
  );
  readonly attachments = new Attachments(this.#drafts, (name, file) => this.actions.backend.storeFile(name, file));
  /** Called before a message is sent, which waits for it. */
  beforeSend: () => Promise<void> = () => Promise.resolve();

  /** Conversations that are deleted soon. */
  #removed = $state.raw<string[]>([]);

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly settings: Settings,
    private readonly panels: Panels,
    private readonly toasts: Toasts,
  ) {}

  get sending(): boolean {
    return this.#sent !== null;
  }

  get current(): Conversation | undefined {
    return this.store.state.conversations.find((c) => c.id === this.currentId);
  }

  /** The person's conversations, without those of subagents. */
  get topLevel(): Conversation[] {
    return this.store.state.conversations.filter((c) => !c.parent && !this.#removed.includes(c.id));
  }

  /** The names of the folders that have conversations, sorted. */
  get folders(): string[] {
    const names = this.topLevel.flatMap((c) => (c.folder && !c.archived ? [c.folder] : []));
    return [...new Set(names)].sort((a, b) => a.localeCompare(b));
  }

  /** The conversation that started the shown subagent; undefined when no subagent is shown. */
  get parent(): Conversation | undefined {
    const parent = this.current?.parent;
    return parent ? this.store.state.conversations.find((c) => c.id === parent) : undefined;
  }

  /** Returns the id of the person's conversation that led to the subagent's `id`; `id` itself if it is the person's. */
  rootOf(id: string): string {
    const parent = this.store.state.conversations.find((c) => c.id === id)?.parent;
    return parent ? this.rootOf(parent) : id;
  }

  /** Returns the conversation of the subagent that a call started. */
  childOf(call: string): Conversation | undefined {
    return this.store.state.conversations.find((c) => c.parent_call === call);
  }

  /** Returns the calls made in a conversation, the oldest first. */
  callsIn(id: string): CallView[] {
    return Object.values(this.store.state.calls)
      .filter((call) => call.conversation === id)
      .sort((a, b) => (a.started < b.started ? -1 : 1));
  }

  get transcript(): TranscriptView | undefined {
    return this.store.state.transcripts[this.currentId];
  }

  /** The items of the active branch. */
  readonly items: Item[] = $derived.by(() => (this.transcript ? shownItems(this.transcript) : []));
  /** Sources of outside text in the active branch. */
  readonly outside: string[] = $derived.by(() => (this.transcript ? shownSources(this.transcript) : []));

  get running(): boolean {
    const { transcript } = this;
    // The start of a running turn may be after the loaded part.
    if (transcript?.until && !transcript.turn) return this.current?.status === 'running';
    return transcript?.turn?.status === 'running';
  }

  /** The name of the chosen model, or PILOT when none is chosen. */
  get model(): string {
    return this.settings.value('model') || PILOT;
  }

  get models(): Model[] {
    return this.store.state.models;
  }

  /** The name of the chosen model for people. */
  get modelLabel(): string {
    return this.models.find(({ name }) => name === this.model)?.label ?? this.model;
  }

  get usesPilot(): boolean {
    return this.model === PILOT;
  }

  /** Opens the conversation that was last shown. If it no longer exists, shows the draft of a new one. */
  async resume(): Promise<void> {
    const last = this.settings.lastView('conversation');
    const id = this.topLevel.some((c) => c.id === last) ? last : '';
    if (id) await this.open(id);
    else this.#showDraft('');
  }

  onEvent(event: StoredEvent): void {
    this.#missed.get(event.conversation ?? '')?.push(event);
    if (event.kind === 'turn.ended' && event.conversation === this.currentId) this.stopping = false;
    if (event.kind.startsWith('branch.')) queueMicrotask(() => this.#reloadOutdated());
    // The shown conversation may belong to a subagent of the deleted one.
    const deleted = event.kind === 'conversation.deleted' ? event.data.id : '';
    if (deleted && this.currentId && (deleted === this.rootOf(this.currentId) || !this.current)) this.startNew();
  }

  /** Opens a conversation at its end. */
  async open(id: string): Promise<void> {
    this.target = null;
    await this.#show(id, () => this.read(id));
  }

  /** Opens a conversation at the item of an event, in the branch of the item. */
  async openAt(id: string, seq: number): Promise<void> {
    await this.#show(id, async () => {
      const loaded = this.store.state.transcripts[id];
      if (!loaded || seq < loaded.from || (loaded.until && seq > loaded.until)) await this.#load(id, { around: seq });
      const transcript = this.store.state.transcripts[id]!;
      const item = transcript.items.findLast((one) => one.place <= seq) ?? transcript.items[0] ?? null;
      const branch = item ? branchOf(transcript, item) : '';
      // While a turn runs, the program refuses another branch. Then the end of the shown one is opened.
      if (item && !shownItems(transcript).includes(item))
        await this.actions.attempt(this.actions.backend.chooseBranch(id, branch));
      this.target = item;
    });
  }

  async #show(id: string, load: () => Promise<void>): Promise<void> {
    this.currentId = id;
    this.settings.saveView('conversation', this.rootOf(id));
    this.#showDraft(id);
    this.failed = '';
    this.stopping = false;
    this.loading = !this.transcript;
    try {
      await load();
    } catch (error) {
      if (this.currentId === id) this.failed = failureText(error);
    } finally {
      if (this.currentId === id) this.loading = false;
    }
  }

  /** Loads the end of a conversation unless it is loaded already. */
  async read(id: string): Promise<void> {
    await this.#reading.get(id)?.catch(() => undefined);
    const loaded = this.store.state.transcripts[id];
    if (!loaded || loaded.until) await this.#load(id, {});
  }

  /** Loads the messages before (or after) the loaded ones of the shown conversation, if there are any. */
  async extend(side: 'earlier' | 'later'): Promise<void> {
    const { transcript } = this;
    if (!transcript || this.#reading.has(transcript.id)) return;
    const { id, from, until } = transcript;
    if (side === 'earlier' && from) await this.actions.attempt(this.#load(id, { before: from }));
    if (side === 'later' && until) await this.actions.attempt(this.#load(id, { after: until }));
  }

  /** Loads a part of a conversation, after any that is being loaded. */
  async #load(id: string, query: TranscriptQuery): Promise<void> {
    const before = this.#reading.get(id)?.catch(() => undefined);
    const reading = (before ?? Promise.resolve()).then(() => this.#read(id, query));
    this.#reading.set(id, reading);
    try {
      await reading;
    } finally {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    }
  }

  /** A part before or after an event is added to what is loaded. Any other replaces it. */
  async #read(id: string, query: TranscriptQuery): Promise<void> {
    const missed: StoredEvent[] = [];
    this.#missed.set(id, missed);
    try {
      const transcript = await this.actions.backend.transcript(id, { limit: PART, ...query });
      const extend = Boolean(query.before || query.after);
      this.store.apply({ kind: 'transcript', transcript, missed: query.before ? [] : missed, extend });
    } finally {
      this.#missed.delete(id);
    }
  }

  /** Shows the draft of a new conversation, which its first message creates. */
  startNew(): void {
    this.currentId = '';
    this.loading = false;
    this.failed = '';
    this.settings.saveView('conversation', '');
    this.#showDraft('');
  }

  /** Loads the end of the shown conversation again if the loaded part no longer fits its active branch. */
  #reloadOutdated(): void {
    if (this.transcript?.outdated) void this.actions.attempt(this.#load(this.currentId, {}));
  }

  /** Shows the draft of a conversation in the composer. */
  #showDraft(id: string): void {
    this.draft = this.#drafts.read(id);
    this.attachments.open(id);
  }

  /** Starts or stops sharing a conversation with other programs. Returns false when that failed. */
  share(id: string, shared: boolean): Promise<boolean> {
    return this.actions.attempt(this.actions.backend.shareConversation(id, shared));
  }

  async rename(id: string, title: string): Promise<void> {
    await this.actions.attempt(this.actions.backend.renameConversation(id, title));
  }

  /** Hides the shown conversation, stops its turn, and deletes it unless the person undoes that meanwhile. */
  remove(): void {
    const id = this.currentId;
    const title = this.current?.title || t('conversation.new');
    if (this.running) void this.stop();
    this.#removed = [...this.#removed, id];
    this.startNew();
    const timer = setTimeout(() => void this.#delete(id), UNDO_MS);
    this.toasts.ok(t('conversation.deleted', { title }), {
      label: t('action.undo'),
      run: () => {
        clearTimeout(timer);
        this.#removed = this.#removed.filter((one) => one !== id);
        void this.open(id);
      },
    });
  }

  async #delete(id: string): Promise<void> {
    const done = await this.actions.attempt(this.actions.backend.deleteConversation(id));
    this.#removed = this.#removed.filter((one) => one !== id);
    if (!done) return;
    this.attachments.clear(id);
    this.#drafts.write(id, '');
  }

  /**
   * Sends a text, by default the draft with its attachments, and returns whether the program accepted it. Until then
   * the draft stays in the composer. While a turn runs, the message waits until the turn ends or, with "now", until its
   * current step ends. `raise` raises the conversation's budget by its amount. Messages are sent one after the other.
   */
  async send(text = this.draft, when: 'now' | 'next' = 'next', raise = false): Promise<boolean> {
    const words = text.trim();
    const shown = this.currentId;
    // The draft remains until it is accepted, so a second Enter has the same text.
    while (this.#sent && this.#sent.text !== words) await this.#sent.done;
    if (!words || this.#sent) return false;
    let finish = () => {};
    this.#sent = { text: words, done: new Promise((resolve) => (finish = resolve)) };
    try {
      // Capture the message: meanwhile the person may continue typing or open another conversation.
      const isDraft = text === this.draft && (!shown || shown === this.currentId);
      const context = isDraft ? this.attachments.context : {};
      const id = shown || this.currentId || (await this.#create());
      await this.beforeSend();
      await this.actions.backend.send(id, words, this.model, this.panels.activeId, when, raise, context);
      if (isDraft) this.attachments.clear(id);
      if (this.store.state.transcripts[id]?.until) void this.open(id); // show what was sent
      if (id !== this.currentId) {
        if (this.#drafts.read(id) === text) this.#drafts.write(id, '');
      } else if (text === this.draft) this.setDraft('');
      return true;
    } catch (error) {
      this.toasts.error(failureText(error));
      return false;
    } finally {
      this.#sent = null;
      finish();
    }
  }

  /** Sends the model a summary or, if `use` is false, the messages it replaces. Returns false when that failed. */
  async useSummary(id: string, use: boolean): Promise<boolean> {
    return this.actions.attempt(this.actions.backend.useSummary(this.currentId, id, use));
  }

  get queued(): WaitingMessage[] {
    return this.transcript?.waiting ?? [];
  }

  /** Whether a message can be added to the running turn. A turn of the pilot accepts none. */
  get steerable(): boolean {
    return this.running && !this.usesPilot && this.transcript?.turn?.model !== PILOT;
  }

  async steer(message: WaitingMessage): Promise<void> {
    await this.actions.attempt(this.actions.backend.changeWaiting(this.currentId, message.id, 'now'));
  }

  async sendQueued(message: WaitingMessage): Promise<void> {
    await this.actions.attempt(this.actions.backend.askWaiting(this.currentId, message.id));
  }

  async dropQueued(message: WaitingMessage): Promise<boolean> {
    return this.actions.attempt(this.actions.backend.dropWaiting(this.currentId, message.id));
  }

  /** Moves a queued message back into the composer, below the draft. */
  async editQueued(message: WaitingMessage): Promise<void> {
    const id = this.currentId;
    if (!(await this.dropQueued(message))) return;
    this.attachments.restore(id, contextOf(message));
    const below = (draft: string) => [draft.trim(), message.text].filter(Boolean).join('\n\n');
    if (id === this.currentId) this.setDraft(below(this.draft));
    else this.#drafts.write(id, below(this.#drafts.read(id))); // another conversation was opened meanwhile
  }

  async stop(): Promise<void> {
    if (!this.currentId || !this.running) return;
    this.stopping = true;
    if (!(await this.actions.attempt(this.actions.backend.stop(this.currentId)))) this.stopping = false;
  }

  async useModel(name: string): Promise<void> {
    await this.settings.set('model', name);
  }

  async refreshModels(): Promise<void> {
    await this.actions.attempt(
      this.actions.backend.models().then((models) => this.store.apply({ kind: 'models', models })),
    );
  }

  setDraft(text: string): void {
    this.draft = text;
    this.#drafts.write(this.currentId, text);
    if (!text.trim()) this.attachments.clearSources();
  }

  async #create(): Promise<string> {
    const conversation = await this.actions.backend.createConversation('');
    this.store.apply({ kind: 'conversation', conversation });
    this.store.apply({ kind: 'transcript', transcript: { seq: 0, conversation, events: [] }, missed: [] });
    this.#drafts.moveFromNew(conversation.id);
    this.attachments.moveFromNew(conversation.id);
    if (!this.currentId) {
      this.currentId = conversation.id;
      this.settings.saveView('conversation', conversation.id);
    }
    return conversation.id;
  }
}

/** Returns the attachments and sources of a queued message, with the names of servers instead of source ids. */
function contextOf({ attached, from }: WaitingMessage): MessageContext {
  const server = (source: string) => source.replace(/^mcp:/, '');
  const texts = (attached ?? []).filter(({ file }) => !file);
  return {
    attached: texts.map(({ source, title, text }) => ({ server: server(source), title, text })),
    from: (from ?? []).map(server),
    files: (attached ?? []).flatMap(({ file, source }) =>
      file ? [{ ...file, source: /^https?:/.test(source) ? source : undefined }] : [],
    ),
  };
}
