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

/**
 * Splits a command line in the command field, as documentation gives it, into the command, its arguments and variables
 * before it. Quotes keep words together. An empty name becomes that of the package. Filled fields are not changed.
 */
export function splitCommandLine(draft: ServerDraft): ServerDraft {
  const words = [...draft.command.trim().matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  if (words.length < 2 || first < 0 || draft.args.trim() || (first > 0 && draft.env.trim())) return draft;
  const args = words.slice(first + 1);
  const program = args.find((word) => !/^-|^(run|exec|dlx|x)$/.test(word)) ?? '';
  const name = /([\w-]+?)(?:@[\w.-]+|\.\w+)?$/
    .exec(program)?.[1]
    ?.replace(/^(mcp-)?server-|-mcp(-server)?$|^mcp-/g, '');
  return {
    ...draft,
    name: draft.name.trim() ? draft.name : (name ?? ''),
    command: words[first] ?? '',
    args: args.join('\n'),
    env: first > 0 ? words.slice(0, first).join('\n') : draft.env,
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
