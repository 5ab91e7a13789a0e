import type { ProgramList } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** The configuration of MCP clients with one entry. */
function mcpConfig(entry: Record<string, unknown>): string {
  const lines = Object.entries(entry).map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n  "mcpServers": {\n    "sextant": {\n${lines.join(',\n')}\n    }\n  }\n}`;
}

/** The programs connected over MCP, and how others connect. */
export class Programs extends RemoteValue<ProgramList> {
  /** A session name for a program over HTTP, which gives it its own tabs. */
  session = $state('');

  constructor(actions: Actions) {
    super(actions, () => actions.backend.programs());
  }

  async dismiss(id: string): Promise<boolean> {
    return this.change(this.actions.backend.dismissProgram(id));
  }

  /** The configuration to start `sextant mcp`. */
  stdioConfig(): string {
    const { command = '', args = [] } = this.value ?? {};
    return mcpConfig({ command, args });
  }

  /** The configuration over HTTP. */
  httpConfig(token: string): string {
    const headers = { Authorization: `Bearer ${token}` };
    return mcpConfig({ type: 'http', url: this.address, headers });
  }

  get address(): string {
    return this.value ? `${this.value.url}?session=${this.session}` : '';
  }

  protected override set(info: ProgramList): void {
    super.set(info);
    this.session ||= info.session;
  }
}
