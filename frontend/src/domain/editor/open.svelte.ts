import type { FileText } from '../../shared/api/types';
import { endsOf, LF, type LineEnds } from './ends';

/** One open file. */
export class OpenFile {
  /** The file as its text came from it. */
  file = $state.raw<FileText>({ path: '', shown: '', name: '', text: '', version: '', stamp: '', size: 0 });
  unsaved = $state(false);
  /** The file as it is by now, when that is not what the text came from. */
  newer = $state.raw<FileText | null>(null);
  saving = $state(false);
  /** Why the last save did not come to pass. */
  failed = $state('');
  /** Why unsaved text could not be kept. */
  unkept = $state('');
  line = $state(1);
  column = $state(1);
  /** Grows when the view has to take `text` anew, or to show `line`. */
  turned = $state(0);
  revealed = $state(0);
  ends: LineEnds = LF;
  top = 1;
  /** The text as it is here, with \n; the view says when it is another. */
  text = '';
  /** What the view keeps between being shown: history of undo, folds. */
  view: unknown = null;
  pending: (() => string) | null = null;
  since = 0;

  constructor(readonly path: string) {}

  get name(): string {
    return this.file.name || this.path.split('/').at(-1) || this.path;
  }

  /** The file's text as the view holds it. */
  get disk(): string {
    return this.ends.read(this.file.text);
  }

  get editable(): boolean {
    return !this.file.problem && !this.file.read_only;
  }

  take(file: FileText): void {
    this.file = file;
    this.ends = endsOf(file.text);
    this.newer = null;
  }
}
