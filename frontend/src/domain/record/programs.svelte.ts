import type { ProgramList } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** A list of MCP servers with one entry, one line for each of what it says. */
function listed(entry: Record<string, unknown>): string {
  const lines = Object.entries(entry).map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n  "mcpServers": {\n    "sextant": {\n${lines.join(',\n')}\n    }\n  }\n}`;
}

/** The programs connected over MCP, and how others connect. */
export class Programs {
  told = $state<ProgramList | null>(null);
  failed = $state('');
  /** A name for a program over HTTP, so that it has tabs of its own; one for as long as it is shown. */
  session = $state('');

  constructor(private readonly actions: Actions) {}

  async read(): Promise<void> {
    try {
      this.#take(await this.actions.backend.programs());
    } catch (error) {
      this.failed = failureText(error);
    }
  }

  async dismiss(id: string): Promise<boolean> {
    const done = await this.actions.ask(this.actions.backend.dismissProgram(id).then((left) => this.#take(left)));
    if (!done) await this.read();
    return done;
  }

  /** What another program's list of MCP servers needs to start `sextant mcp`. */
  stdioConfig(): string {
    const { command = '', args = [] } = this.told ?? {};
    return listed({ command, args });
  }

  /** The same over HTTP. */
  httpConfig(token: string): string {
    const headers = { Authorization: `Bearer ${token}` };
    return listed({ type: 'http', url: this.address, headers });
  }

  get address(): string {
    return this.told ? `${this.told.url}?session=${this.session}` : '';
  }

  #take(told: ProgramList): void {
    this.told = told;
    this.session ||= told.session;
    this.failed = '';
  }
}
