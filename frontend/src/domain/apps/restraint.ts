/** How long a page asks nothing after a no, in milliseconds, and after how many in a row it asks no more. */
const REST = 3000;
const NOES = 2;

/** Holds pages back that ask again and again: a person who is worn down agrees in the end. */
export class Restraint {
  #noes = 0;
  #last = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Why nothing may be asked now, "" when something may be. */
  get why(): string {
    if (this.#noes >= NOES) return 'The person said no twice. Nothing more is asked until they show the app anew.';
    if (this.#noes && this.now() - this.#last < REST) return 'The person did not want that just now.';
    return '';
  }

  said(yes: boolean): void {
    this.#noes = yes ? 0 : this.#noes + 1;
    this.#last = this.now();
  }
}
