import type { RetriedStatus } from '../../shared/api/batches';
import type { BatchDraft, BatchRow, ListedBatch, PermissionCard } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

export type RowStatus = BatchRow['status'];

/** How many rows the panel shows at once. */
export const PAGE_ROWS = 200;

/** The batches: recipes that run for each row of a table. */
export class Batches extends RemoteValue<ListedBatch[]> {
  /** The id of the batch that the panel shows, "" for none. */
  selected = $state('');
  /** The recipe for which a batch is being added, "" for none. */
  adding = $state('');
  /** The rows that are shown, null before they are read. */
  rows = $state.raw<BatchRow[] | null>(null);
  /** The rows that run, whatever rows are shown. */
  running = $state.raw<BatchRow[]>([]);
  /** Only rows of this status are shown, "" for all. */
  status = $state<'' | RowStatus>('');
  /** The number of the row before the first one that is shown. */
  after = $state(0);
  /** The row that the person has taken over, with the session of its page; null for none. */
  taken = $state.raw<{ batch: string; row: BatchRow; session: string } | null>(null);
  /** Rows that shall run again and had acted, about which the person is asked; null for no question. */
  asking = $state.raw<{ row: number; statuses: RetriedStatus[]; acted: number } | null>(null);
  /** The numbers of the rows before the pages that were left. */
  #left: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(actions: Actions) {
    super(actions, () => actions.backend.batches.list());
  }

  get shown(): ListedBatch | undefined {
    return this.value?.find(({ batch }) => batch.id === this.selected);
  }

  override async read(): Promise<void> {
    await super.read();
    await this.readRows();
  }

  /** Reads the rows that are shown, and those that run. */
  async readRows(): Promise<void> {
    const { selected, status, after } = this;
    if (!selected) return;
    const read = this.actions.backend.batches.rows;
    const answer = Promise.all([read(selected, after, status), read(selected, 0, 'running')]);
    try {
      const [rows, running] = await answer;
      if (selected !== this.selected || status !== this.status || after !== this.after) return;
      this.rows = rows;
      this.running = running;
    } catch (error) {
      this.failed = failureText(error);
    }
    const { taken } = this;
    if (taken?.batch === selected && !this.running.some(({ number }) => number === taken.row.number)) this.taken = null;
  }

  async select(id: string): Promise<void> {
    this.selected = id;
    this.running = [];
    await this.show('', 0);
  }

  /** Shows the rows of a status after the one with a number. */
  async show(status: '' | RowStatus, after: number): Promise<void> {
    this.status = status;
    this.after = after;
    this.rows = null;
    if (!after) this.#left = [];
    await this.readRows();
  }

  /** Whether there are rows before those that are shown, and perhaps after them. */
  get pages(): { before: boolean; after: boolean } {
    return { before: this.after > 0, after: this.rows?.length === PAGE_ROWS };
  }

  async next(): Promise<void> {
    this.#left.push(this.after);
    await this.show(this.status, this.rows?.at(-1)?.number ?? 0);
  }

  previous = (): Promise<void> => this.show(this.status, this.#left.pop() ?? 0);

  /** Adds a batch, which waits until the person allows what it needs. It returns why that failed, "" if it did not. */
  async add(draft: BatchDraft): Promise<string> {
    try {
      const { batch } = await this.actions.backend.batches.add(draft);
      this.selected = batch.id;
      this.adding = '';
      await super.read();
      await this.select(batch.id);
      return '';
    } catch (error) {
      return failureText(error);
    }
  }

  /** Allows what the rows of a batch need and starts it. Returns false if that failed. */
  sign = ({ batch }: ListedBatch, card: PermissionCard): Promise<boolean> =>
    this.#do(this.actions.backend.batches.sign(batch.id, batch.digest, card));
  start = (id: string): Promise<boolean> => this.#do(this.actions.backend.batches.start(id));
  stop = (id: string): Promise<boolean> => this.#do(this.actions.backend.batches.stop(id));

  /** Lets rows run again: one, or with 0 all with one of the statuses. Asks first if some of them had acted. */
  async retry(row: number, statuses: RetriedStatus[], acted = false): Promise<void> {
    const request = this.actions.backend.batches.retry(this.selected, row, statuses, acted);
    let had = 0;
    await this.#do(request.then((n) => (had = n)));
    this.asking = had && !acted ? { row, statuses, acted: had } : null;
  }

  /** Makes a row wait, so that the person can act on its page. */
  async takeOver(batch: string, row: BatchRow): Promise<void> {
    const request = this.actions.backend.batches.takeOver(batch, row.number);
    await this.actions.attempt(request.then((session) => (this.taken = { batch, row, session })));
  }

  /** Lets the row go on. */
  async giveBack(): Promise<void> {
    const taken = this.taken;
    this.taken = null;
    if (taken) await this.#do(this.actions.backend.batches.giveBack(taken.batch, taken.row.number));
  }

  async remove(id: string): Promise<void> {
    await this.#do(this.actions.backend.batches.remove(id));
    if (!this.shown) this.selected = '';
  }

  async #do(request: Promise<unknown>): Promise<boolean> {
    const done = await this.actions.attempt(request);
    await this.read();
    return done;
  }

  /** Reads what is shown again, at most about twice a second. */
  readSoon(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, 500);
  }
}
