import type { FileText } from '../../shared/api/types';
import { lineEndingsOf, LF, type LineEndings } from './lineendings';

/** One open file. */
export class OpenFile {
  /** The file that the text is based on. */
  file = $state.raw<FileText>({ path: '', shown: '', name: '', text: '', version: '', stamp: '', size: 0 });
  unsaved = $state(false);
  /** The file after another program changed it, else null. */
  newer = $state.raw<FileText | null>(null);
  saving = $state(false);
  /** Why the last save failed. */
  failed = $state('');
  /** Why the draft could not be saved. */
  draftError = $state('');
  line = $state(1);
  column = $state(1);
  /** Count changes of `text` and `line` that the view has to load. */
  textRevision = $state(0);
  revealRevision = $state(0);
  ends: LineEndings = LF;
  top = 1;
  /** The edited text, with \n as line ending. */
  text = '';
  /** State of the view while it is hidden: undo history, cursor and scroll position. */
  view: unknown = null;
  pending: (() => string) | null = null;
  since = 0;

  constructor(readonly path: string) {}

  get name(): string {
    return this.file.name || this.path.split('/').at(-1) || this.path;
  }

  /** The text of the file with \n as line ending. */
  get disk(): string {
    return this.ends.read(this.file.text);
  }

  get editable(): boolean {
    return !this.file.problem && !this.file.read_only;
  }

  take(file: FileText): void {
    this.file = file;
    this.ends = lineEndingsOf(file.text);
    this.newer = null;
  }
}
