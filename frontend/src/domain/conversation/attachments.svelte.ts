import type { Attachment } from '../../shared/api/types';
import type { Drafts } from './drafts';

/** The most characters of an attachment that a model reads, and the most attachments of a message. */
const TEXT_MAX = 24_000;
export const ATTACHMENTS_MAX = 8;

/** The attachments and text sources of a message. */
export interface MessageContext {
  attached: Attachment[];
  /** Servers whose text is part of the draft. */
  from: string[];
}

/** The attachments and text sources of the shown draft. They are saved with it, so that they survive a restart. */
export class Attachments {
  attached = $state.raw<Attachment[]>([]);
  from = $state.raw<string[]>([]);
  /** Names of the parts of a prompt that cannot be sent, shown until the draft is sent. */
  omitted = $state.raw<string[]>([]);
  #conversation = '';

  constructor(private readonly drafts: Drafts) {}

  get any(): boolean {
    return this.attached.length > 0 || this.from.length > 0;
  }

  open(conversation: string): void {
    this.#conversation = conversation;
    this.omitted = [];
    const { attached, from } = this.#read(conversation);
    this.attached = attached;
    this.from = from;
  }

  /** Adds an attachment, or replaces the one with the same server and title. Returns false when there are too many. */
  attach(one: Attachment): boolean {
    const others = this.attached.filter(({ server, title }) => server !== one.server || title !== one.title);
    if (others.length >= ATTACHMENTS_MAX) return false;
    this.#save(
      [...others, { ...one, title: one.title.slice(0, 400), text: one.text.slice(0, TEXT_MAX + 1) }],
      this.from,
    );
    return true;
  }

  detach(one: Attachment): void {
    this.#save(
      this.attached.filter((other) => other !== one),
      this.from,
    );
  }

  /** Records that the draft contains text of a server; `omitted` names the parts that cannot be sent. */
  addSource(server: string, omitted: string[]): void {
    this.omitted = omitted;
    this.#save(this.attached, [...new Set([...this.from, server])].slice(-ATTACHMENTS_MAX));
  }

  /** Removes the sources after the draft was emptied. */
  clearSources(): void {
    this.omitted = [];
    if (this.from.length) this.#save(this.attached, []);
  }

  /** Removes all attachments and sources of a draft that was sent or whose conversation was deleted. */
  clear(conversation: string): void {
    if (conversation !== this.#conversation) {
      if (this.drafts.read(key(conversation))) this.drafts.write(key(conversation), '');
      return;
    }
    this.omitted = [];
    if (this.any) this.#save([], []);
  }

  /** Moves the attachments and sources of the new draft to the conversation that was created for it. */
  moveFromNew(conversation: string): void {
    const shown = this.#conversation === '';
    const { attached, from } = shown ? this : this.#read('');
    this.clear('');
    if (shown) this.#conversation = conversation;
    if (!attached.length && !from.length) return;
    if (shown) this.#save(attached, from);
    else this.drafts.write(key(conversation), JSON.stringify({ attached, from }));
  }

  /** Adds the attachments and sources of a queued message to a draft again. */
  restore(conversation: string, context: MessageContext): void {
    const old = conversation === this.#conversation ? this : this.#read(conversation);
    const known = (one: Attachment) =>
      context.attached.some(({ server, title }) => server === one.server && title === one.title);
    const attached = [...old.attached.filter((one) => !known(one)), ...context.attached].slice(-ATTACHMENTS_MAX);
    const from = [...new Set([...old.from, ...context.from])];
    if (conversation === this.#conversation) this.#save(attached, from);
    else this.drafts.write(key(conversation), JSON.stringify({ attached, from }));
  }

  #save(attached: Attachment[], from: string[]): void {
    this.attached = attached;
    this.from = from;
    const some = attached.length > 0 || from.length > 0;
    this.drafts.write(key(this.#conversation), some ? JSON.stringify({ attached, from }) : '');
  }

  #read(conversation: string): MessageContext {
    try {
      const saved = JSON.parse(this.drafts.read(key(conversation)) || '{}') as Partial<MessageContext>;
      return { attached: saved.attached ?? [], from: saved.from ?? [] };
    } catch {
      return { attached: [], from: [] };
    }
  }
}

const key = (conversation: string) => `given.${conversation || 'new'}`;
