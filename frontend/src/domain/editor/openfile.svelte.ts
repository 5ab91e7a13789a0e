import type { FileText } from '../../shared/api/types';
import { lineEndingsOf, LF, type LineEndings } from './lineendings';

/** A file that is open in the editor. */
export class OpenFile {
  /** The file that the text is based on. */
  file = $state.raw<FileText>({ path: '', shown: '', name: '', text: '', version: '', stamp: '', size: 0 });
  unsaved = $state(false);
  /** The file on disk, if it is no longer the one that the text is based on; else null. */
  newer = $state.raw<FileText | null>(null);
  saving = $state(false);
  /** Why the last save or the reading at the start failed, "" if neither did. */
  failed = $state('');
  /** Why the draft could not be saved, "" if it was. */
  draftError = $state('');
  line = $state(1);
  column = $state(1);
  /** These count the changes of `text` and of `line` that the view has to show. */
  textRevision = $state(0);
  revealRevision = $state(0);
  lineEndings: LineEndings = LF;
  top = 1;
  /** The edited text, with \n as line ending. It is older than the view's text while `pending` is set. */
  text = '';
  /** The undo history, cursor and scroll position of the view while it is hidden. */
  view: unknown = null;
  pending: (() => string) | null = null;
  since = 0;

  constructor(readonly path: string) {}

  get name(): string {
    return this.file.name || this.path.split('/').at(-1) || this.path;
  }

  /** The text of the file on disk, with \n as line ending. */
  get disk(): string {
    return this.lineEndings.read(this.file.text);
  }

  get editable(): boolean {
    return !this.file.problem && !this.file.read_only;
  }

  setFile(file: FileText): void {
    this.file = file;
    this.lineEndings = lineEndingsOf(file.text);
    this.newer = null;
  }
}
