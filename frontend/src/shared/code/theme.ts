import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags as tag } from '@lezer/highlight';

// The theme uses the window's design tokens, so that editors follow the window's theme.
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text-primary)', backgroundColor: 'var(--panel)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text-primary)' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text-primary)', borderLeftWidth: '1.5px' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--line-strong)',
  },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--text-muted)', border: '0', paddingLeft: '4px' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '36px', padding: '0 8px 0 4px' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', color: 'var(--text-muted)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text-primary)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--active)',
    outline: '1px solid var(--control)',
    color: 'inherit',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    color: 'var(--danger)',
    backgroundColor: 'transparent',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent-line)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-line)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--active)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--active)',
    border: '0',
    color: 'var(--text-secondary)',
    padding: '0 6px',
  },
  '.cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text-primary)',
    fontFamily: 'var(--font)',
    fontSize: '12px',
  },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    padding: '6px 32px 6px 10px',
    display: 'flex',
    flexWrap: 'wrap',
    gap: '4px 6px',
    alignItems: 'center',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '4px',
    color: 'var(--text-secondary)',
    fontSize: '12px',
  },
  '.cm-panel.cm-search [name=close]': {
    top: '6px',
    right: '8px',
    width: '24px',
    height: '24px',
    color: 'var(--text-secondary)',
    cursor: 'pointer',
    fontSize: '18px',
    lineHeight: '24px',
  },
  '.cm-textfield': {
    height: '26px',
    padding: '0 8px',
    border: '1px solid var(--control)',
    borderRadius: 'var(--radius-s)',
    backgroundColor: 'var(--well)',
    color: 'var(--text-primary)',
    fontSize: '12px',
  },
  '.cm-textfield:focus-visible, .cm-panels .cm-textfield:focus': {
    outline: '2px solid var(--ring)',
    outlineOffset: '-1px',
  },
  '.cm-button': {
    height: '26px',
    padding: '0 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    color: 'var(--text-primary)',
    fontSize: '12px',
  },
  '.cm-button:hover': { backgroundColor: 'var(--hover)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--overlay)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    color: 'var(--text-primary)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--active)',
    color: 'var(--text-primary)',
  },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '&.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText': { background: 'var(--ok-line)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'var(--danger-line)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--del-bg)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--add-bg)' },
  '.cm-collapsedLines': { background: 'var(--well)', color: 'var(--text-muted)', padding: '4px 12px' },
  '.cm-changeGutter': { width: '3px' },
  '&.cm-merge-a .cm-changedLineGutter': { background: 'var(--danger)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--ok)' },
});

const highlight = HighlightStyle.define([
  {
    tag: [tag.keyword, tag.operatorKeyword, tag.modifier, tag.controlKeyword, tag.definitionKeyword, tag.moduleKeyword],
    color: 'var(--syn-key)',
  },
  { tag: [tag.tagName, tag.self, tag.atom, tag.bool, tag.null], color: 'var(--syn-key)' },
  {
    tag: [tag.string, tag.special(tag.string), tag.character, tag.regexp, tag.attributeValue, tag.inserted],
    color: 'var(--syn-str)',
  },
  { tag: [tag.number, tag.unit, tag.color, tag.escape, tag.url], color: 'var(--syn-num)' },
  { tag: [tag.comment, tag.meta, tag.processingInstruction], color: 'var(--text-muted)' },
  { tag: [tag.punctuation, tag.separator, tag.bracket, tag.operator], color: 'var(--text-secondary)' },
  { tag: [tag.heading, tag.strong], fontWeight: '600' },
  { tag: tag.emphasis, fontStyle: 'italic' },
  { tag: tag.link, color: 'var(--syn-num)', textDecoration: 'underline' },
  { tag: tag.strikethrough, textDecoration: 'line-through' },
  { tag: tag.monospace, color: 'var(--syn-str)' },
  { tag: [tag.deleted, tag.invalid], color: 'var(--danger)' },
]);

/** The theme and syntax colors of editors. */
export const editorTheme: Extension = [theme, syntaxHighlighting(highlight)];
