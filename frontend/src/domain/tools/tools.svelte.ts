import type { Permission, ToolInfo } from '../../shared/api/types';
import { failureText, type Actions } from '../actions';
import type { Store } from '../store/store.svelte';

/** The tools of one origin and owner. */
export interface ToolGroup {
  key: string;
  origin: ToolInfo['origin'];
  owner: string;
  tools: ToolInfo[];
  tokens: number;
  active: boolean;
}

/** The list of tools, with their permissions. */
export class Tools {
  list = $state<ToolInfo[]>([]);
  failed = $state('');
  loaded = $state(false);
  #asked = '';
  /** Counts requests, so that an outdated answer is dropped. */
  #request = 0;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {}

  /** A text that changes when the list must be read again. */
  get refreshKey(): string {
    const { toolsRevision, settings } = this.store.state;
    const set = ['mode', 'tools_allow', 'tools_ask', 'groups_off'].map((key) => settings[key]?.value ?? '');
    return [toolsRevision, ...set].join('|');
  }

  /** Reads the list if it may have changed, or with `force`, because rules can also change elsewhere. */
  async refresh(force = false): Promise<void> {
    const key = this.refreshKey;
    if (this.#asked === key && !force) return;
    this.#asked = key;
    const request = ++this.#request;
    try {
      const list = (await this.actions.backend.tools()).tools ?? [];
      if (request !== this.#request) return;
      this.list = list;
      this.failed = '';
      this.loaded = true;
    } catch (error) {
      if (request !== this.#request) return;
      this.#asked = '';
      this.failed = failureText(error);
    }
  }

  /** The names of the tools that are switched off. `list` does not contain them. */
  get disabled(): string[] {
    const value = this.store.state.settings['tools_off']?.value ?? '';
    return value
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  }

  /** Switches a tool on or off. */
  async setEnabled(tool: string, on: boolean): Promise<void> {
    const disabled = this.disabled.filter((name) => name !== tool);
    if (!on) disabled.push(tool);
    await this.actions.attempt(
      this.actions.backend
        .setting('tools_off', disabled.join(','))
        .then((setting) => this.store.apply({ kind: 'setting', setting })),
    );
  }

  /** Sets the permission of a tool. */
  async permit(tool: string, permission: Permission): Promise<void> {
    await this.actions.attempt(this.actions.backend.permit(tool, permission));
    await this.refresh(true); // even after a failure, because part of the change may have been made
  }

  async refreshCalls(): Promise<void> {
    await this.actions.attempt(
      this.actions.backend.calls(200).then((rows) => this.store.apply({ kind: 'calls', rows })),
    );
  }

  get groups(): ToolGroup[] {
    return groupTools(this.list);
  }

  of(panel: string): ToolInfo[] {
    return this.list.filter((tool) => tool.origin === 'panel' && tool.owner === panel);
  }
}

/** The name of the group of tools that act on the page. */
export const PAGE_GROUP = 'environment';

const ORDER = ['baseline', 'panel', 'mcp', 'created', 'recipe'];

/** Groups tools by origin and owner, in the order baseline, panels, MCP servers, created. */
function groupTools(tools: ToolInfo[]): ToolGroup[] {
  const groups = new Map<string, ToolGroup>();
  for (const tool of tools) {
    // Baseline tools that act on the page have a group of their own.
    const owner = tool.origin === 'baseline' ? (tool.group === PAGE_GROUP ? PAGE_GROUP : '') : (tool.owner ?? '');
    const key = `${tool.origin}:${owner}`;
    const group = groups.get(key) ?? { key, origin: tool.origin, owner, tools: [], tokens: 0, active: false };
    group.tools.push(tool);
    group.tokens += tool.tokens;
    group.active ||= tool.active;
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => ORDER.indexOf(a.origin) - ORDER.indexOf(b.origin) || (a.owner < b.owner ? -1 : 1),
  );
}

/** Reports whether every word of the query occurs in the tool's name, description or argument names. */
export function matchesQuery(tool: ToolInfo, query: string): boolean {
  const schema = tool.parameters as { properties?: Record<string, unknown> } | null;
  const text = `${tool.name} ${tool.description} ${Object.keys(schema?.properties ?? {}).join(' ')}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
