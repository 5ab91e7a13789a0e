import { Language, LanguageSupport } from '@codemirror/language';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { escapeHTML } from '../text/markdown';
import { loadFence } from './languages';

/** Returns the lines of code as HTML that contains only text, and spans with classes such as "tok-keyword". */
export type Highlighter = (code: string) => string[];

/** Longer code is not highlighted. */
const CODE_MAX = 50_000;

const plainLines: Highlighter = (code) => code.split('\n').map(escapeHTML);

/** Loads the highlighter for the language that a code fence names. Code in other languages stays plain. */
export async function loadHighlighter(name: string): Promise<Highlighter> {
  const extension = await loadFence(name);
  const language = extension instanceof LanguageSupport ? extension.language : extension;
  if (!(language instanceof Language)) return plainLines;
  return (code) => (code.length > CODE_MAX ? plainLines(code) : highlight(code, language));
}

function highlight(code: string, language: Language): string[] {
  const lines = [''];
  const put = (html: string) => (lines[lines.length - 1] += html);
  highlightCode(
    code,
    language.parser.parse(code),
    classHighlighter,
    (text, classes) => put(classes ? `<span class="${classes}">${escapeHTML(text)}</span>` : escapeHTML(text)),
    () => lines.push(''),
  );
  return lines;
}
