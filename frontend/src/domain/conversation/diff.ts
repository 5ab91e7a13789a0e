/** A line of a unified diff, with its line numbers before and after the change (0 for none). */
export interface DiffRow {
  kind: 'add' | 'del' | 'same' | 'hunk' | 'file';
  before: number;
  after: number;
  text: string;
}

/**
 * Parses a unified diff of one or more files. Lines between files that are not part of the format say what happened to
 * a file and become rows of the kind "file". "\ No newline at end of file" is left out.
 */
export function diffRows(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  // How many lines of the hunk follow, before and after the change.
  let old = 0;
  let fresh = 0;
  for (const line of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?/.exec(line);
    if ((old > 0 || fresh > 0) && /^[+\-\\ ]/.test(line)) {
      if (line.startsWith('+')) {
        rows.push({ kind: 'add', before: 0, after: after++, text: line.slice(1) });
        fresh--;
      } else if (line.startsWith('-')) {
        rows.push({ kind: 'del', before: before++, after: 0, text: line.slice(1) });
        old--;
      } else if (line.startsWith(' ')) {
        rows.push({ kind: 'same', before: before++, after: after++, text: line.slice(1) });
        old--;
        fresh--;
      }
      continue;
    }
    old = fresh = 0;
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      old = Number(hunk[2] ?? 1);
      fresh = Number(hunk[4] ?? 1);
      rows.push({ kind: 'hunk', before: 0, after: 0, text: line });
    } else if (line && !/^(---|\+\+\+|\\) /.test(line)) {
      rows.push({ kind: 'file', before: 0, after: 0, text: line });
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
      pairs.push({ left: row, right: row.kind === 'file' ? null : row });
    }
  }
  return pairs;
}
