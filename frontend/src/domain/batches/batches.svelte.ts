import type { RetriedStatus } from '../../shared/api/batches';
import type { BatchDraft, BatchRow, ListedBatch, PermissionCard, StoredEvent } from '../../shared/api/types';
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
    const answer = await Promise.all([read(selected, after, status), read(selected, 0, 'running')]).catch(() => null);
    if (!answer || selected !== this.selected || status !== this.status || after !== this.after) return;
    [this.rows, this.running] = answer;
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
    await this.readRows();
  }

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

  sign = ({ batch }: ListedBatch, card: PermissionCard): Promise<void> =>
    this.#do(this.actions.backend.batches.sign(batch.id, batch.digest, card));
  start = (id: string): Promise<void> => this.#do(this.actions.backend.batches.start(id));
  stop = (id: string): Promise<void> => this.#do(this.actions.backend.batches.stop(id));
  retry = (id: string, row: number, statuses: RetriedStatus[] = []): Promise<void> =>
    this.#do(this.actions.backend.batches.retry(id, row, statuses));

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

  async #do(request: Promise<unknown>): Promise<void> {
    await this.actions.attempt(request);
    await this.read();
  }

  /** Reads what an open panel shows again, at most about twice a second. */
  onEvent(event: StoredEvent): void {
    if (event.kind !== 'batches.changed' || !this.loaded || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, 500);
  }
}
