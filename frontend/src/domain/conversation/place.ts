import type { CallView } from '../store/state';

/** Tools whose argument is the one file that they read or wrote. */
const OF_ONE_FILE = ['read_file', 'write_file', 'edit_file', 'files_new_file', 'files_info', 'editor_save_file'];

/** The file that a finished call was about, and the line it began at; null when there is not one. */
export function placeOf(call: CallView): { path: string; line: number } | null {
  if (call.status !== 'done' || !OF_ONE_FILE.includes(call.tool)) return null;
  const args = (call.args ?? {}) as Record<string, unknown>;
  const path = [args.path, args.filePath].find((one) => typeof one === 'string' && one !== '') as string | undefined;
  if (!path) return null;
  const line = Number(args.line ?? args.offset) || 0;
  return { path, line: Math.max(0, Math.floor(line)) };
}
