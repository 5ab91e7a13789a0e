import type { Metrics as Figures, MetricsRange, Origin, ToolHistory } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The metrics of calls and turns over a range, and the history of one tool in that range. */
export class Metrics {
  /** Whether the panel shows the metrics instead of the calls. */
  shown = $state(false);
  range = $state<MetricsRange>('day');
  origin = $state<Origin | ''>('');
  figures = $state.raw<Figures | null>(null);
  failed = $state('');
  /** The selected tool, null for none; `history` belongs to it. */
  tool = $state<{ name: string; origin: string } | null>(null);
  history = $state.raw<ToolHistory | null>(null);
  #request = 0;

  constructor(private readonly actions: Actions) {}

  /** Reads the metrics. An outdated answer is dropped. */
  async read(): Promise<void> {
    const request = ++this.#request;
    const { backend } = this.actions;
    const tool = this.tool;
    try {
      const [figures, history] = await Promise.all([
        backend.metrics(this.range, this.origin),
        tool ? backend.toolHistory(tool.name, tool.origin, this.range) : null,
      ]);
      if (request !== this.#request) return;
      this.figures = figures;
      this.history = history;
      this.failed = '';
    } catch (error) {
      if (request === this.#request) this.failed = failureText(error);
    }
  }

  choose(range: MetricsRange): void {
    this.range = range;
    void this.read();
  }

  filterOrigin(origin: Origin | ''): void {
    this.origin = origin;
    void this.read();
  }

  /** Selects a tool. Selecting it again deselects it. */
  chooseTool(name: string, origin: string): void {
    const again = this.tool?.name === name && this.tool.origin === origin;
    this.tool = again ? null : { name, origin };
    this.history = null;
    if (this.tool) void this.read();
  }
}
