import type { Metrics as Figures, MetricsRange, Origin, ToolHistory } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** Figures of calls and turns over a range, and of one tool in it. */
export class Metrics {
  /** Whether the figures are shown instead of the calls. */
  shown = $state(false);
  range = $state<MetricsRange>('day');
  origin = $state<Origin | ''>('');
  figures = $state.raw<Figures | null>(null);
  failed = $state('');
  /** The selected tool and its history. */
  tool = $state<{ name: string; origin: string } | null>(null);
  history = $state.raw<ToolHistory | null>(null);
  #request = 0;

  constructor(private readonly actions: Actions) {}

  /** Reads the figures; an outdated answer is dropped. */
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

  /** Selects a tool, or deselects the selected one. */
  chooseTool(name: string, origin: string): void {
    const again = this.tool?.name === name && this.tool.origin === origin;
    this.tool = again ? null : { name, origin };
    this.history = null;
    if (this.tool) void this.read();
  }
}
