import type { CallView } from '../store/state';

/** Tools that read or write the one file that an argument names. */
const FILE_TOOLS = ['read_file', 'write_file', 'edit_file', 'files_new_file', 'files_info', 'editor_save_file'];

/** Returns the file and line (0 for none) of a successful call of FILE_TOOLS, null for any other call. */
export function fileLocationOf(call: CallView): { path: string; line: number } | null {
  if (call.status !== 'done' || !FILE_TOOLS.includes(call.tool)) return null;
  const args = (call.args ?? {}) as Record<string, unknown>;
  const path = [args.path, args.filePath].find((one) => typeof one === 'string' && one !== '') as string | undefined;
  if (!path) return null;
  const line = Number(args.line ?? args.offset) || 0;
  return { path, line: Math.max(0, Math.floor(line)) };
}
