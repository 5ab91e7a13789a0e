import type {
  ListedSchedule,
  PermissionCard,
  ScheduleDraft,
  ScheduledRun,
  ScheduleList,
  StoredEvent,
} from '../../shared/api/types';
import { t } from '../../shared/i18n';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';
import type { Store } from '../store/store.svelte';
import type { Toasts } from '../toasts.svelte';

export const SCHEDULES_PANEL = 'schedules';

/** Reports whether what a schedule runs now was not allowed yet. */
export function needsSignature({ schedule, plan }: Pick<ListedSchedule, 'schedule' | 'plan'>): boolean {
  return !schedule.card || Boolean(plan.digest && schedule.digest !== plan.digest);
}

/** Reports whether a schedule runs only after the person has decided: it is not allowed yet, or it ended badly. */
export function waitsForPerson({ schedule, plan, last }: ListedSchedule): boolean {
  return (
    needsSignature({ schedule, plan }) ||
    Boolean(schedule.paused && (last?.status === 'parked' || last?.status === 'failed'))
  );
}

/** What runs by itself. */
export class Schedules extends RemoteValue<ScheduleList> {
  /** The id of the schedule that the panel shows, "" for the first. */
  selected = $state('');
  /** The schedule that is being edited, null for none. */
  draft = $state<ScheduleDraft | null>(null);
  /** The runs of the shown schedule, newest first; null before they are read. */
  runs = $state.raw<ScheduledRun[] | null>(null);
  /** Opens the panel. The application sets it. */
  onOpen: () => void = () => {};
  /** Shows the conversation of a run that this window watches. The application sets it. */
  onWatch: (conversation: string) => void = () => {};
  /** The run that this window started in order to watch it. */
  #watched = '';
  #toast = 0;
  /** The draft as it was opened, as JSON. */
  #before = '';

  constructor(
    actions: Actions,
    private readonly store: Store,
    private readonly toasts: Toasts,
  ) {
    super(actions, () => actions.backend.schedules());
  }

  get shown(): ListedSchedule | undefined {
    const list = this.value?.schedules ?? [];
    return list.find(({ schedule }) => schedule.id === this.selected) ?? list[0];
  }

  /** How many schedules wait for the person. */
  readonly waiting: number = $derived((this.value?.schedules ?? []).filter(waitsForPerson).length);

  override async read(): Promise<void> {
    await super.read();
    const running = this.value?.schedules.find((one) => one.running?.id === this.#watched)?.running;
    if (this.#watched && running?.conversation) {
      this.#watched = '';
      this.onWatch(running.conversation);
    }
    if (this.store.state.activePanel === SCHEDULES_PANEL) await this.readRuns();
  }

  /** Reads the runs of the shown schedule. */
  async readRuns(): Promise<void> {
    const id = this.shown?.schedule.id;
    if (!id) {
      this.runs = null;
      return;
    }
    const answer = await this.actions.backend.scheduledRuns(id).catch(() => null);
    if (answer && this.shown?.schedule.id === id) this.runs = answer.runs;
  }

  async select(id: string): Promise<void> {
    this.selected = id;
    this.runs = null;
    await this.readRuns();
  }

  /** Ends the editor. What was changed and not saved can be brought back for a moment. */
  leave(): void {
    const draft = this.draft;
    this.draft = null;
    if (!draft || JSON.stringify(draft) === this.#before) return;
    this.toasts.ok(t('schedules.dropped'), { label: t('action.undo'), run: () => (this.draft = draft) });
  }

  /** Opens the editor for a schedule. */
  edit(draft: ScheduleDraft): void {
    this.leave();
    this.draft = draft;
    this.#before = JSON.stringify(this.draft);
  }

  /** Begins a schedule. */
  begin(draft: Partial<ScheduleDraft> = {}): void {
    this.edit({
      name: '',
      task: {},
      when: { cron: '0 8 * * *', zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      missed: { do: 'once', max_age_minutes: 24 * 60 },
      ...draft,
    });
    this.onOpen();
  }

  /** Saves the draft. */
  async save(): Promise<boolean> {
    if (!this.draft) return false;
    const draft = $state.snapshot(this.draft) as ScheduleDraft;
    let id = '';
    const request = this.actions.backend.saveSchedule(draft).then((saved) => (id = saved.id));
    if (!(await this.actions.attempt(request))) return false;
    this.draft = null;
    this.selected = id;
    await this.read();
    return true;
  }

  /** Signs the card of a schedule, which then runs by itself. */
  async sign({ schedule, plan }: ListedSchedule, card: PermissionCard): Promise<void> {
    await this.#do(this.actions.backend.signSchedule(schedule.id, plan.digest, card));
  }

  async runNow(id: string, watched: boolean): Promise<void> {
    await this.#do(
      this.actions.backend.runSchedule(id, watched).then((run) => {
        if (watched) this.#watched = run.id;
      }),
    );
  }

  pause = (id: string): Promise<void> => this.#do(this.actions.backend.pauseSchedule(id));
  resume = (id: string): Promise<void> => this.#do(this.actions.backend.resumeSchedule(id));
  remove = (id: string): Promise<void> => this.#do(this.actions.backend.deleteSchedule(id));
  stop = (run: string): Promise<void> => this.#do(this.actions.backend.stopScheduledRun(run));

  /** Makes a new token for a schedule's webhook. It returns a command that calls the webhook, '' if that failed. */
  async renewToken(id: string): Promise<string> {
    let command = '';
    await this.#do(
      this.actions.backend.renewToken(id).then(({ path, token }) => {
        command = `curl -X POST -H 'Authorization: Bearer ${token}' ${location.origin}${path}`;
      }),
    );
    return command;
  }

  async #do(request: Promise<unknown>): Promise<void> {
    await this.actions.attempt(request);
    await this.read();
  }

  onEvent(event: StoredEvent): void {
    if (event.kind !== 'schedules.changed') return;
    const { schedule, name, status, reason = '', changed } = event.data;
    if (this.loaded || status === 'parked') void this.read();
    if (status !== 'parked' && status !== 'failed' && !changed) return;
    if (this.store.state.activePanel === SCHEDULES_PANEL && this.shown?.schedule.id === schedule) return;
    const show = { label: t('schedules.show'), run: () => void this.#show(schedule) };
    if (changed) return this.toasts.ok(t('schedules.changed', { name }), show);
    this.#toast = this.toasts.error(
      t(status === 'parked' ? 'schedules.parked' : 'schedules.failed', { name }),
      reason,
      show,
    );
  }

  /** Hides the notice about a run, because the panel shows it. */
  dismissNotice(): void {
    this.toasts.dismiss(this.#toast);
  }

  async #show(id: string): Promise<void> {
    this.onOpen();
    await this.select(id);
  }
}
