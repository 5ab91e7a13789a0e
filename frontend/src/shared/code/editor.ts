import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyField, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './theme';

export interface Cursor {
  line: number;
  column: number;
  top: number;
  selection: string;
}

export interface EditorOptions {
  label: string;
  text: string;
  /** What `destroy` returned for this text: restores the undo history, cursor and scroll position. */
  restore?: unknown;
  readOnly: boolean;
  /** Whether to show line numbers. With false the text is prose, and its lines wrap. */
  numbers?: boolean;
  language: Promise<Extension>;
  /** The texts of CodeMirror's search, by their English originals. */
  phrases?: Record<string, string>;
  onchange: (text: () => string) => void;
  oncursor?: (cursor: Cursor) => void;
  onsave?: () => void;
}

/** A text editor in a host element. */
export interface TextEditor {
  /** Removes the editor and returns a state for `restore`. */
  destroy(): unknown;
  /** Replaces the whole text as one change that can be undone. */
  replace(text: string): void;
  reveal(line: number, column?: number): void;
  scrollTo(line: number): void;
  readOnly(yes: boolean): void;
  find(): void;
  focus(): void;
}

const MAX_SELECTION = 2000;

const code: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  foldGutter(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
];

const SEARCH = searchKeymap.filter((key) => key.key !== 'Mod-g' && key.key !== 'Mod-Alt-g');

function cursorOf(view: EditorView): Cursor {
  const { main } = view.state.selection;
  const line = view.state.doc.lineAt(main.head);
  const first = view.lineBlockAtHeight(view.scrollDOM.scrollTop);
  return {
    line: line.number,
    column: main.head - line.from + 1,
    top: view.state.doc.lineAt(first.from).number,
    selection: view.state.sliceDoc(main.from, Math.min(main.to, main.from + MAX_SELECTION)),
  };
}

/** Creates a text editor in `host`. */
export function createEditor(host: HTMLElement, options: EditorOptions): TextEditor {
  const language = new Compartment();
  const writing = new Compartment();
  let quiet = false;
  const closed = (yes: boolean) => [
    EditorState.readOnly.of(yes),
    EditorView.contentAttributes.of(yes ? { 'aria-readonly': 'true' } : {}),
  ];
  const extensions: Extension = [
    options.numbers === false ? EditorView.lineWrapping : code,
    editorTheme,
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    highlightSpecialChars(),
    search({ top: true }),
    EditorState.phrases.of(options.phrases ?? {}),
    EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'false' }),
    // Tab indents. Escape followed by Tab leaves the editor.
    keymap.of([
      { key: 'Mod-s', preventDefault: true, run: () => (options.onsave?.(), true) },
      { key: 'Tab', run: indentMore, shift: indentLess },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...SEARCH,
      ...historyKeymap,
      ...foldKeymap,
    ]),
    language.of([]),
    writing.of(closed(options.readOnly)),
    EditorView.updateListener.of((update) => {
      if (quiet) return;
      if (update.docChanged) options.onchange(() => update.view.state.doc.toString());
      if (update.docChanged || update.selectionSet) options.oncursor?.(cursorOf(update.view));
    }),
  ];
  const restored = options.restore as { state: unknown; text: string; scroll: number } | null | undefined;
  const back = restored && restored.text === options.text ? restored : null;
  const fields = { history: historyField };
  const state = back
    ? EditorState.fromJSON(back.state, { extensions }, fields)
    : EditorState.create({ doc: options.text, extensions });
  const view = new EditorView({ state, parent: host });
  if (back) requestAnimationFrame(() => (view.scrollDOM.scrollTop = back.scroll));
  void options.language.then((loaded) => view.dispatch({ effects: language.reconfigure(loaded) })).catch(() => {});

  const goto = (line: number, column = 1, y: 'start' | 'center' = 'center') => {
    const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
    const anchor = Math.min(at.from + column - 1, at.to);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y }) });
  };
  return {
    destroy() {
      const saved = {
        state: view.state.toJSON(fields),
        text: view.state.doc.toString(),
        scroll: view.scrollDOM.scrollTop,
      };
      view.destroy();
      return saved;
    },
    replace(text) {
      const head = Math.min(view.state.selection.main.head, text.length);
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: head } });
      quiet = false;
    },
    reveal: goto,
    scrollTo: (line) => {
      const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: 'start' }) });
    },
    readOnly: (yes) => view.dispatch({ effects: writing.reconfigure(closed(yes)) }),
    find: () => openSearchPanel(view),
    focus: () => view.focus(),
  };
}
