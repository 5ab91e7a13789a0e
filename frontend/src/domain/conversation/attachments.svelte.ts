import { BackendError } from '../../shared/api/client';
import type { Attachment, AttachedFile, StoredFile } from '../../shared/api/types';
import { t } from '../../shared/i18n';
import { failureText } from '../actions';
import type { Drafts } from './drafts';

/** The most characters of an attachment that a model reads, and the most attachments of a message. */
const TEXT_MAX = 24_000;
export const ATTACHMENTS_MAX = 8;
/** The largest file that can be attached, in bytes. */
const FILE_MAX = 20 << 20;

/** The attachments and text sources of a message. */
export interface MessageContext {
  attached: Attachment[];
  files: AttachedFile[];
  /** Servers whose text is part of the draft. */
  from: string[];
}

/** The attachments and text sources of the shown draft. They are saved with it, so that they survive a restart. */
export class Attachments {
  attached = $state.raw<Attachment[]>([]);
  from = $state.raw<string[]>([]);
  /** Names of the parts of a prompt that cannot be sent, shown until the draft is sent. */
  omitted = $state.raw<string[]>([]);
  files = $state.raw<AttachedFile[]>([]);
  /** Files that are being stored, and files that cannot be attached, each with the reason. */
  pending = $state.raw<{ id: number; name: string }[]>([]);
  refused = $state.raw<{ id: number; name: string; reason: string }[]>([]);
  #conversation = '';
  #next = 1;
  #storing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly drafts: Drafts,
    private readonly store: (name: string, file: Blob) => Promise<StoredFile>,
  ) {}

  get any(): boolean {
    return this.attached.length > 0 || this.from.length > 0 || this.files.length > 0;
  }

  /** Whether there is anything to show. */
  get shown(): boolean {
    return this.any || this.omitted.length > 0 || this.pending.length > 0 || this.refused.length > 0;
  }

  /** What is sent with the message. */
  get context(): MessageContext {
    return { attached: this.attached, from: this.from, files: this.files };
  }

  /** Attaches a file of the person, or with `source` a picture of the page with this origin. */
  async addFile(name: string, file: Blob, source?: string): Promise<void> {
    if (file.size === 0) this.refuse(name, t('attachment.empty'));
    else if (file.size > FILE_MAX) this.refuse(name, t('attachment.large'));
    else await this.add(name, () => this.store(name, file), source);
  }

  /** Attaches the file that `store` returns. A failure is shown beside the other attachments. */
  async add(name: string, store: () => Promise<StoredFile>, source?: string): Promise<void> {
    if (this.files.length + this.pending.length + this.attached.length >= ATTACHMENTS_MAX) {
      this.refuse(name, t('attachment.full'));
      return;
    }
    const id = this.#next++;
    const conversation = this.#conversation;
    this.pending = [...this.pending, { id, name }];
    const storing = store();
    this.#storing = Promise.allSettled([this.#storing, storing]);
    try {
      const file = { ...(await storing), ...(source ? { source } : {}) };
      this.restore(conversation, { attached: [], from: [], files: [file] });
    } catch (error) {
      this.refuse(name, error instanceof BackendError && error.detail ? error.detail : failureText(error));
    } finally {
      this.pending = this.pending.filter((one) => one.id !== id);
    }
  }

  /** Resolves when all files are stored or refused. */
  async settled(): Promise<void> {
    while (this.pending.length) {
      await this.#storing;
      await Promise.resolve();
    }
  }

  removeFile(file: AttachedFile): void {
    this.files = this.files.filter((other) => other !== file);
    this.#save(this.attached, this.from);
  }

  dismiss(id: number): void {
    this.refused = this.refused.filter((one) => one.id !== id);
  }

  /** Shows that a file cannot be attached. */
  refuse(name: string, reason: string): void {
    this.refused = [...this.refused, { id: this.#next++, name, reason }].slice(-ATTACHMENTS_MAX);
  }

  open(conversation: string): void {
    this.#conversation = conversation;
    this.omitted = [];
    this.refused = [];
    const { attached, from, files } = this.#read(conversation);
    this.attached = attached;
    this.from = from;
    this.files = files;
  }

  /** Adds an attachment, or replaces the one with the same server and title. Returns false when there are too many. */
  attach(one: Attachment): boolean {
    const others = this.attached.filter(({ server, title }) => server !== one.server || title !== one.title);
    if (others.length + this.files.length >= ATTACHMENTS_MAX) return false;
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
    this.refused = [];
    if (!this.any) return;
    this.files = [];
    this.#save([], []);
  }

  /** Moves the attachments and sources of the new draft to the conversation that was created for it. */
  moveFromNew(conversation: string): void {
    const shown = this.#conversation === '';
    const { attached, from, files } = shown ? this.context : this.#read('');
    this.clear('');
    if (shown) this.#conversation = conversation;
    if (!attached.length && !from.length && !files.length) return;
    if (shown) {
      this.files = files;
      this.#save(attached, from);
    } else this.drafts.write(key(conversation), JSON.stringify({ attached, from, files }));
  }

  /** Adds the attachments and sources of a queued message to a draft again. */
  restore(conversation: string, context: MessageContext): void {
    const old = conversation === this.#conversation ? this.context : this.#read(conversation);
    const known = (one: Attachment) =>
      context.attached.some(({ server, title }) => server === one.server && title === one.title);
    const attached = [...old.attached.filter((one) => !known(one)), ...context.attached].slice(-ATTACHMENTS_MAX);
    const from = [...new Set([...old.from, ...context.from])];
    const isKnown = (one: AttachedFile) =>
      context.files.some(({ blob, name }) => blob === one.blob && name === one.name);
    const files = [...old.files.filter((one) => !isKnown(one)), ...context.files].slice(-ATTACHMENTS_MAX);
    if (conversation === this.#conversation) {
      this.files = files;
      this.#save(attached, from);
    } else this.drafts.write(key(conversation), JSON.stringify({ attached, from, files }));
  }

  #save(attached: Attachment[], from: string[]): void {
    this.attached = attached;
    this.from = from;
    this.drafts.write(key(this.#conversation), this.any ? JSON.stringify(this.context) : '');
  }

  #read(conversation: string): MessageContext {
    try {
      const saved = JSON.parse(this.drafts.read(key(conversation)) || '{}') as Partial<MessageContext>;
      return { attached: saved.attached ?? [], from: saved.from ?? [], files: saved.files ?? [] };
    } catch {
      return { attached: [], from: [], files: [] };
    }
  }
}

const key = (conversation: string) => `given.${conversation || 'new'}`;
