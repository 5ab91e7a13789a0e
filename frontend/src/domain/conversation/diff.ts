/** A line of a unified diff, with its line numbers before and after the change (0 for none). */
export interface DiffRow {
  kind: 'add' | 'del' | 'same' | 'hunk';
  before: number;
  after: number;
  text: string;
}

/** Parses a unified diff. Lines before the first hunk are left out, and so is "\ No newline at end of file". */
export function diffRows(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inside = true;
      rows.push({ kind: 'hunk', before: 0, after: 0, text: line });
    } else if (!inside) {
      continue;
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'add', before: 0, after: after++, text: line.slice(1) });
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'del', before: before++, after: 0, text: line.slice(1) });
    } else if (line.startsWith(' ')) {
      rows.push({ kind: 'same', before: before++, after: after++, text: line.slice(1) });
    }
  }
  return rows;
}

/** A row of a diff that shows the lines before and after a change side by side; null for no line on that side. */
export interface SplitRow {
  left: DiffRow | null;
  right: DiffRow | null;
}

/** Pairs the removed lines of each change with its added lines. Other rows are on both sides. */
export function splitRows(rows: DiffRow[]): SplitRow[] {
  const pairs: SplitRow[] = [];
  let open: SplitRow[] = [];
  for (const row of rows) {
    if (row.kind === 'del') {
      const pair: SplitRow = { left: row, right: null };
      open.push(pair);
      pairs.push(pair);
    } else if (row.kind === 'add') {
      const pair = open.find((one) => !one.right);
      if (pair) pair.right = row;
      else pairs.push({ left: null, right: row });
    } else {
      open = [];
      pairs.push({ left: row, right: row });
    }
  }
  return pairs;
}
