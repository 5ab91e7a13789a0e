import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { editorTheme } from './theme';

/** One side of a comparison. */
export interface ComparisonSide {
  label: string;
  text: string;
}

/** Shows two texts side by side in `host` and marks their differences. The returned function removes the view. */
export function showDifferences(
  host: HTMLElement,
  a: ComparisonSide,
  b: ComparisonSide,
  language: Promise<Extension>,
): () => void {
  const side = ({ label, text }: ComparisonSide, loaded: Extension) => ({
    doc: text,
    extensions: [
      lineNumbers(),
      editorTheme,
      loaded,
      EditorState.readOnly.of(true),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    ],
  });
  let view: MergeView | null = null;
  let disposed = false;
  void language
    .catch(() => [])
    .then((loaded) => {
      if (disposed) return;
      view = new MergeView({
        a: side(a, loaded),
        b: side(b, loaded),
        parent: host,
        highlightChanges: true,
        gutter: true,
        collapseUnchanged: { margin: 3, minSize: 6 },
      });
    });
  return () => {
    disposed = true;
    view?.destroy();
  };
}
