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
