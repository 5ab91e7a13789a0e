import {
  Lexer,
  type MarkedToken,
  type Token,
  type TokenizerAndRendererExtension,
  type Tokens,
  type TokensList,
} from 'marked';

/** A formula. `display` formulas stand on their own line; `closed` is false while the formula is being written. */
export interface MathToken {
  type: 'math' | 'mathBlock';
  raw: string;
  tex: string;
  display: boolean;
  closed: boolean;
}

/** A `<details>` element. Its content is Markdown. */
export interface DetailsToken {
  type: 'details';
  raw: string;
  open: boolean;
  summary: Token[];
  tokens: Token[];
}

/** Consecutive definitions of footnotes. */
export interface FootnotesToken {
  type: 'footnotes';
  raw: string;
  notes: { label: string; tokens: Token[] }[];
}

/** A token of a block, as the window draws it. */
export type Block = MarkedToken | MathToken | DetailsToken | FootnotesToken;

// The work for hostile text is bounded: marked needs quadratic time for many delimiters in one paragraph.
const DEPTH_MAX = 20;
const INLINE_MAX = 20_000;
const DELIMITERS_MAX = 1000;
const FORMULAS_MAX = 500;

/** A lexer that leaves text as it is where it is nested too deeply or contains too many delimiters. */
export class BoundedLexer extends Lexer {
  /** The number of formulas so far. */
  formulas = 0;
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#depth >= DEPTH_MAX) {
      tokens.push({ type: 'text', raw: src, text: src, tokens: [plain(src)] });
      return tokens;
    }
    this.#depth++;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth--;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= INLINE_MAX && (src.match(/[*_~`[<$\\]/g)?.length ?? 0) <= DELIMITERS_MAX)
      return super.inlineTokens(src, tokens);
    tokens.push(plain(src));
    return tokens;
  }
}

const plain = (text: string): Tokens.Text => ({ type: 'text', raw: text, text, escaped: false });

const TEX_MAX = 4000;
const BLANK_LINE = /\n[ \t]*\n/;

function mathToken(lexer: Lexer, type: MathToken['type'], raw: string, tex: string, display: boolean, closed = true) {
  if (tex.length > TEX_MAX || !tex.trim() || BLANK_LINE.test(tex)) return undefined;
  if (lexer instanceof BoundedLexer && ++lexer.formulas > FORMULAS_MAX) return undefined;
  return { type, raw, tex: tex.trim(), display, closed } satisfies MathToken;
}

// In "$5 and $6", "$HOME:$PATH" and "$5 or 6 EUR$" the dollar sign is no delimiter.
const DOLLARS = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n])+)\$(?![\w$])/;
const AMOUNT = /^\d[\d.,]*\s+[A-Za-z]{2}/;

const math: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'inline',
  start: (src) => src.match(/\$|\\[([]/)?.index,
  tokenizer(src) {
    let found = /^\$\$((?:\\[\s\S]|[^\\$])+)\$\$/.exec(src) ?? /^\\\[([\s\S]+?)\\\]/.exec(src);
    if (found) return mathToken(this.lexer, 'math', found[0], found[1] ?? '', true);
    found = /^\\\(([\s\S]+?)\\\)/.exec(src);
    if (found) return mathToken(this.lexer, 'math', found[0], found[1] ?? '', false);
    found = DOLLARS.exec(src);
    const tex = found?.[1] ?? '';
    if (!found || /\s$/.test(tex) || AMOUNT.test(tex)) return undefined;
    return mathToken(this.lexer, 'math', found[0], tex, false);
  },
};

const mathBlock: TokenizerAndRendererExtension = {
  name: 'mathBlock',
  level: 'block',
  start(src) {
    const end = src.indexOf('\n\n');
    return (end < 0 ? src : src.slice(0, end)).match(/(?<=\n) {0,3}(?:\$\$|\\\[)/)?.index;
  },
  tokenizer(src) {
    const found =
      /^ {0,3}\$\$((?:\\[\s\S]|[^\\$])+)(\$\$[ \t]*(?:\n+|$)|$)/.exec(src) ??
      /^ {0,3}\\\[([\s\S]+?)(\\\][ \t]*(?:\n+|$)|$)/.exec(src);
    if (!found) return undefined;
    return mathToken(this.lexer, 'mathBlock', found[0], found[1] ?? '', true, found[2] !== '');
  },
};

const details: TokenizerAndRendererExtension = {
  name: 'details',
  level: 'block',
  tokenizer(src) {
    const start = /^ {0,3}<details(\s+open(?:="[^"\n]*")?)?\s*>/i.exec(src);
    if (!start) return undefined;
    // Without its end tag, the element reaches to the end of the text.
    let depth = 0;
    let inner = src.length;
    let end = src.length;
    for (const tag of src.matchAll(/<(\/?)details\b[^>\n]*>/gi)) {
      depth += tag[1] ? -1 : 1;
      if (depth > 0) continue;
      inner = tag.index;
      end = inner + tag[0].length;
      break;
    }
    while (src[end] === '\n') end++;
    const content = src.slice(start[0].length, inner);
    const summary = /^\s*<summary>([\s\S]*?)(?:<\/summary>|$)/i.exec(content);
    return {
      type: 'details',
      raw: src.slice(0, end),
      open: Boolean(start[1]),
      summary: this.lexer.inline((summary?.[1] ?? '').trim(), []),
      tokens: this.lexer.blockTokens(content.slice(summary?.[0].length ?? 0).replace(/^\n+/, ''), []),
    } satisfies DetailsToken;
  },
};

const LABEL = String.raw`\[\^([^\]\s]{1,64})\]`;
const DEFINITION = new RegExp(String.raw`^ {0,3}${LABEL}:([^\n]*(?:\n(?:[ \t]*\n)*(?: {2,}|\t)[^\n]+)*)\n*`);

const footnotes: TokenizerAndRendererExtension = {
  name: 'footnotes',
  level: 'block',
  tokenizer(src) {
    const notes: FootnotesToken['notes'] = [];
    let end = 0;
    for (let found = DEFINITION.exec(src); found; found = DEFINITION.exec(src.slice(end))) {
      const text = (found[2] ?? '').trim().replace(/\n(?: {1,4}|\t)/g, '\n');
      notes.push({ label: found[1] ?? '', tokens: this.lexer.blockTokens(text, []) });
      end += found[0].length;
    }
    if (!notes.length) return undefined;
    return { type: 'footnotes', raw: src.slice(0, end), notes } satisfies FootnotesToken;
  },
};

const footnote: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'inline',
  start: (src) => src.match(/\[\^/)?.index,
  tokenizer(src) {
    const found = new RegExp(`^${LABEL}`).exec(src);
    return found ? { type: 'footnote', raw: found[0], label: found[1] } : undefined;
  },
};

const mark: TokenizerAndRendererExtension = {
  name: 'mark',
  level: 'inline',
  start: (src) => src.match(/\[\d{1,6}\]/)?.index,
  tokenizer(src) {
    const found = /^\[(\d{1,6})\](?![(:[])/.exec(src);
    return found ? { type: 'mark', raw: found[0], id: found[1] } : undefined;
  },
};

/** Syntax beyond GitHub's Markdown: formulas, footnotes, `<details>`, and `[12]` for an annotation. */
export const syntax = { math, mathBlock, details, footnotes, footnote, mark };
