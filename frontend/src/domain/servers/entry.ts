import type { ServerEntry } from '../../shared/api/types';

/** The fields of the form for an MCP server. */
export interface ServerDraft {
  name: string;
  remote: boolean;
  command: string;
  args: string;
  env: string;
  url: string;
  headers: string;
}

type FieldError = { field: keyof ServerDraft; line: number };

const pairs = (all: Record<string, string> | undefined, between: string) =>
  Object.entries(all ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');

/** Returns the form for a server's entry, or an empty form. */
export function draftOf(name = '', entry: ServerEntry = {}): ServerDraft {
  return {
    name,
    remote: Boolean(entry.url),
    command: entry.command ?? '',
    args: (entry.args ?? []).join('\n'),
    env: pairs(entry.env, '='),
    url: entry.url ?? '',
    headers: pairs(entry.headers, ': '),
  };
}

function read(text: string, between: RegExp): { all: Record<string, string>; wrong: number } {
  const all: Record<string, string> = {};
  for (const [i, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    const match = between.exec(line);
    if (!match?.[1]) return { all, wrong: i + 1 };
    all[match[1]] = match[2] ?? '';
  }
  return { all, wrong: 0 };
}

/**
 * Returns the entry that a form describes, or its first error; `line` counts from 1, 0 for the whole field. Settings of
 * `before` that the form does not show are preserved if this kind of server has them.
 */
export function entryOf(
  draft: ServerDraft,
  before: ServerEntry = {},
): { entry: ServerEntry; error: FieldError | null } {
  // Settings that the form shows are replaced, and those of the other kind of server are removed.
  const shown = draft.remote
    ? ['url', 'headers', 'command', 'args', 'env', 'cwd', 'sextant']
    : ['command', 'args', 'env', 'url', 'headers', 'type', 'oauth'];
  const rest: ServerEntry = Object.fromEntries(Object.entries(before).filter(([name]) => !shown.includes(name)));
  if (!draft.name.trim()) return { entry: rest, error: { field: 'name', line: 0 } };
  if (draft.remote) {
    if (!/^https?:\/\/\S+$/.test(draft.url.trim())) return { entry: rest, error: { field: 'url', line: 0 } };
    const { all, wrong } = read(draft.headers, /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/);
    if (wrong) return { entry: rest, error: { field: 'headers', line: wrong } };
    const headers = Object.keys(all).length ? { headers: all } : {};
    return {
      entry: { ...rest, url: draft.url.trim(), ...headers },
      error: null,
    };
  }
  if (!draft.command.trim()) return { entry: rest, error: { field: 'command', line: 0 } };
  const { all, wrong } = read(draft.env, /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/);
  if (wrong) return { entry: rest, error: { field: 'env', line: wrong } };
  const args = draft.args.split('\n').filter((line, i, lines) => line !== '' || i < lines.length - 1);
  return {
    entry: {
      ...rest,
      command: draft.command.trim(),
      ...(args.length ? { args } : {}),
      ...(Object.keys(all).length ? { env: all } : {}),
    },
    error: null,
  };
}
