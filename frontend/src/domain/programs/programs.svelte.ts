import type { ProgramList } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';

/** The configuration of MCP clients with one entry. */
function mcpConfig(entry: Record<string, unknown>): string {
  const lines = Object.entries(entry).map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n  "mcpServers": {\n    "sextant": {\n${lines.join(',\n')}\n    }\n  }\n}`;
}

/** The programs connected over MCP, and how others connect. */
export class Programs {
  info = $state<ProgramList | null>(null);
  failed = $state('');
  /** A session name for a program over HTTP, which gives it its own tabs. */
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

  /** The configuration to start `sextant mcp`. */
  stdioConfig(): string {
    const { command = '', args = [] } = this.info ?? {};
    return mcpConfig({ command, args });
  }

  /** The configuration over HTTP. */
  httpConfig(token: string): string {
    const headers = { Authorization: `Bearer ${token}` };
    return mcpConfig({ type: 'http', url: this.address, headers });
  }

  get address(): string {
    return this.info ? `${this.info.url}?session=${this.session}` : '';
  }

  #take(info: ProgramList): void {
    this.info = info;
    this.session ||= info.session;
    this.failed = '';
  }
}
