import type { Backend } from '../../shared/api/backend';
import type { Json, PagePart, PageSource, PageTree, Result } from '../../shared/api/types';
import { sentenceCase } from '../../shared/format/words';
import { failureText } from '../actions';

/** The state of a data source. The last value stays available while the source is read again. */
export interface SourceState {
  tool: string;
  value?: Json;
  loaded: boolean;
  busy: boolean;
  at: number;
  error: string;
  suggestion: string;
}

/** Delay before the sources are read again, so that several changes cause one refresh. */
const REFRESH_DELAY_MS = 120;

/** A panel's declarative page: its tree, its data and the calls of its buttons. All calls are made as the panel. */
export class DeclarativePage {
  tree = $state.raw<PageTree | null>(null);
  failed = $state('');
  states = $state<Record<string, SourceState>>({});
  #sources: Record<string, PageSource> = {};
  #timers: ReturnType<typeof setInterval>[] = [];
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #opened = 0;

  constructor(
    private readonly backend: Backend,
    readonly panel: string,
  ) {}

  /** Reads the page and all its sources. Called again after the page has changed. */
  async open(): Promise<void> {
    const opened = ++this.#opened;
    try {
      const tree = await this.backend.panelPage(this.panel);
      if (opened !== this.#opened) return;
      this.tree = tree;
      this.failed = '';
      this.#load(tree);
    } catch (error) {
      if (opened === this.#opened) this.failed = failureText(error);
    }
  }

  close(): void {
    this.#opened++;
    this.#stop();
  }

  stateOf(source: PageSource | undefined): SourceState | undefined {
    return source ? this.states[keyOf(source)] : undefined;
  }

  /** When the oldest shown value was read (Unix milliseconds); 0 without sources or until all have been read. */
  get at(): number {
    const all = Object.values(this.states);
    return all.length ? Math.min(...all.map((load) => load.at)) : 0;
  }

  /** Reports whether a source is being read with one of these tools, for which approvals are pending. */
  waitsFor(asked: string[]): boolean {
    return Object.values(this.states).some((load) => load.busy && asked.includes(load.tool));
  }

  get sources(): PageSource[] {
    return Object.values(this.#sources);
  }

  /** The sources that could not be read, one for each distinct error. Their earlier values are still shown. */
  get failures(): { load: SourceState; source: PageSource }[] {
    const seen = new Set<string>();
    return Object.entries(this.states).flatMap(([key, load]) => {
      const source = this.#sources[key];
      const text = errorText(load);
      if (!source || !text || seen.has(text)) return [];
      seen.add(text);
      return [{ load, source }];
    });
  }

  async refresh(): Promise<void> {
    await Promise.all(this.sources.map((source) => this.read(source)));
  }

  /** Schedules a refresh after a tool ran, unless a source reads with it: a refresh would then cause another. */
  onToolRan(tool: string): void {
    if (this.sources.some((source) => source.tool === tool)) return;
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  /** Calls a tool for a button or a form. After a success `onToolRan` is called. */
  async act(tool: string, args: Record<string, Json>): Promise<Result> {
    const result = await this.#call(tool, args);
    if (result.success) this.onToolRan(tool);
    return result;
  }

  async read(source: PageSource): Promise<void> {
    const load = this.states[keyOf(source)];
    if (!load || load.busy) return;
    load.busy = true;
    const result = await this.#call(source.tool, source.args ?? {});
    load.busy = false;
    load.error = result.success ? '' : (result.error ?? '');
    load.suggestion = result.suggestion ?? '';
    if (!result.success) return;
    load.at = Date.now();
    load.value = result.result ?? null;
    load.loaded = true;
  }

  async #call(tool: string, args: Record<string, Json>): Promise<Result> {
    try {
      return await this.backend.callPanel(this.panel, tool, args);
    } catch (error) {
      return { success: false, error: failureText(error), duration_ms: 0 };
    }
  }

  #load(tree: PageTree): void {
    this.#stop();
    this.#sources = {};
    collect([tree, ...tree.children], this.#sources);
    const loads: Record<string, SourceState> = {};
    for (const [key, source] of Object.entries(this.#sources)) {
      const known = this.states[key];
      loads[key] = known ?? { tool: source.tool, loaded: false, busy: false, at: 0, error: '', suggestion: '' };
      if (source.every) this.#timers.push(setInterval(() => void this.read(source), source.every * 1000));
    }
    this.states = loads;
    void this.refresh();
  }

  #stop(): void {
    this.#timers.forEach(clearInterval);
    this.#timers = [];
    clearTimeout(this.#refreshTimer);
  }
}

/** Returns the error of a source as a sentence, without the call at its start. */
export function errorText({ tool, error }: SourceState): string {
  const end = error.startsWith(`${tool}(`) ? error.indexOf('): ') : -1;
  return sentenceCase(end < 0 ? error : error.slice(end + 3));
}

const keyOf = (source: PageSource) => JSON.stringify([source.tool, source.args ?? {}]);

function collect(parts: (PageTree | PagePart)[], into: Record<string, PageSource>): void {
  for (const part of parts) {
    if (part.source) into[keyOf(part.source)] = part.source;
    if ('kind' in part) collect(part.children ?? [], into);
  }
}
