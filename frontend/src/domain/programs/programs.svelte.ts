import type { ProgramList } from '../../shared/api/types';
import type { Actions } from '../actions';
import { RemoteValue } from '../remotevalue.svelte';

/** Returns the configuration of an MCP client with Sextant as its one server. */
function mcpConfig(entry: Record<string, unknown>): string {
  const lines = Object.entries(entry).map(([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n  "mcpServers": {\n    "sextant": {\n${lines.join(',\n')}\n    }\n  }\n}`;
}

/** The programs connected over MCP, and the configuration for connecting others. */
export class Programs extends RemoteValue<ProgramList> {
  /** The session name of a program that connects over HTTP. Each session has its own tabs. */
  session = $state('');

  constructor(actions: Actions) {
    super(actions, () => actions.backend.programs());
  }

  async dismiss(id: string): Promise<boolean> {
    return this.change(this.actions.backend.dismissProgram(id));
  }

  /** Returns the configuration for a program that starts `sextant mcp`. */
  stdioConfig(): string {
    const { command = '', args = [] } = this.value ?? {};
    return mcpConfig({ command, args });
  }

  /** Returns the configuration for a program that connects over HTTP. */
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
