import type { Attachment } from '../../shared/api/types';
import type { Drafts } from './drafts';

/** How much of a text a model reads, in characters, and how many texts go with a message. */
const MOST = 24_000;
export const MOST_GIVEN = 8;

/** What goes with a message. */
export interface Given {
  attached: Attachment[];
  /** Servers whose words stand in the draft. */
  from: string[];
}

/** What is given with the draft that is shown, kept beside it: who forgot where words are from would trust them. */
export class Giving {
  attached = $state.raw<Attachment[]>([]);
  from = $state.raw<string[]>([]);
  /** What came with a prompt and cannot be sent; told until the draft is sent. */
  left = $state.raw<string[]>([]);
  #conversation = '';

  constructor(private readonly drafts: Drafts) {}

  get any(): boolean {
    return this.attached.length > 0 || this.from.length > 0;
  }

  open(conversation: string): void {
    this.#conversation = conversation;
    this.left = [];
    const { attached, from } = this.#read(conversation);
    this.attached = attached;
    this.from = from;
  }

  /** Adds a text, or puts it in the place of an older one of the same name; false when there are too many. */
  attach(one: Attachment): boolean {
    const others = this.attached.filter(({ server, title }) => server !== one.server || title !== one.title);
    if (others.length >= MOST_GIVEN) return false;
    this.#keep([...others, { ...one, title: one.title.slice(0, 400), text: one.text.slice(0, MOST + 1) }], this.from);
    return true;
  }

  detach(one: Attachment): void {
    this.#keep(
      this.attached.filter((other) => other !== one),
      this.from,
    );
  }

  /** The draft has words of a server in it now. */
  worded(server: string, left: string[]): void {
    this.left = left;
    this.#keep(this.attached, [...new Set([...this.from, server])].slice(-MOST_GIVEN));
  }

  /** Nothing is written any more, so that no words are anybody's. */
  empty(): void {
    this.left = [];
    if (this.from.length) this.#keep(this.attached, []);
  }

  /** It was sent, or its conversation is gone. */
  clear(conversation: string): void {
    if (conversation !== this.#conversation) {
      if (this.drafts.read(key(conversation))) this.drafts.write(key(conversation), '');
      return;
    }
    this.left = [];
    if (this.any) this.#keep([], []);
  }

  /** The conversation was made: what was given for it is its own now. */
  born(conversation: string): void {
    const shown = this.#conversation === '';
    const { attached, from } = shown ? this : this.#read('');
    this.clear('');
    if (shown) this.#conversation = conversation;
    if (!attached.length && !from.length) return;
    if (shown) this.#keep(attached, from);
    else this.drafts.write(key(conversation), JSON.stringify({ attached, from }));
  }

  /** Gives what a message that waited came with back to its draft. */
  back(conversation: string, given: Given): void {
    const old = conversation === this.#conversation ? this : this.#read(conversation);
    const known = (one: Attachment) =>
      given.attached.some(({ server, title }) => server === one.server && title === one.title);
    const attached = [...old.attached.filter((one) => !known(one)), ...given.attached].slice(-MOST_GIVEN);
    const from = [...new Set([...old.from, ...given.from])];
    if (conversation === this.#conversation) this.#keep(attached, from);
    else this.drafts.write(key(conversation), JSON.stringify({ attached, from }));
  }

  #keep(attached: Attachment[], from: string[]): void {
    this.attached = attached;
    this.from = from;
    const any = attached.length > 0 || from.length > 0;
    this.drafts.write(key(this.#conversation), any ? JSON.stringify({ attached, from }) : '');
  }

  #read(conversation: string): Given {
    try {
      const kept = JSON.parse(this.drafts.read(key(conversation)) || '{}') as Partial<Given>;
      return { attached: kept.attached ?? [], from: kept.from ?? [] };
    } catch {
      return { attached: [], from: [] };
    }
  }
}

const key = (conversation: string) => `given.${conversation || 'new'}`;
