import createPurifier from 'dompurify';
import { Marked, Parser, type Links, type Token, type Tokens } from 'marked';
import { hostOf } from '../format/address';
import { t } from '../i18n';
import { renderMath } from './math.svelte';
import { BoundedLexer, syntax, type Block, type MathToken } from './mdsyntax';

// A model's text is untrusted because it may contain text from pages. So raw HTML is escaped, nothing is loaded, and
// links show their real host.

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHTML = (text: string) => text.replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

/** Tags that are no risk and that models write into tables and formulas. */
const SAFE_HTML = /^<(?:br\s*\/?|\/?(?:sub|sup|kbd))>$/i;

const marked = new Marked({ gfm: true, breaks: true });

marked.use({
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (SAFE_HTML.test(text.trim()) ? text : escapeHTML(text)),
    image: ({ text, href }: Tokens.Image) =>
      `<span class="chip outlined picture">${escapeHTML(text || href)}${host(href, text)}</span>`,
    link({ href, tokens, text }: Tokens.Link) {
      const inner = this.parser.parseInline(tokens);
      if (!/^https?:\/\//i.test(href)) return inner;
      return `<a href="${escapeHTML(href)}" rel="noreferrer noopener">${inner}</a>${host(href, text)}`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) =>
      `<span class="task-box${checked ? ' checked' : ''}" role="img" aria-label="${t(checked ? 'task.done' : 'task.open')}"></span>`,
  },
  extensions: [
    { ...syntax.math, renderer: (token) => mathHTML(token as MathToken) },
    syntax.mathBlock,
    syntax.details,
    syntax.footnotes,
    {
      ...syntax.footnote,
      renderer({ label }) {
        const name = escapeHTML(String(label));
        return `<sup><a class="footnote" href="#note-${name}" data-footnote="${name}">${name}</a></sup>`;
      },
    },
    {
      ...syntax.mark,
      renderer: (token) => `<b class="annotation in-text" data-mark="${String(token.id)}">${String(token.id)}</b>`,
    },
  ],
});

/** Returns the host to show after a link, or "" if the link's text contains it. */
function host(href: string, text: string): string {
  const name = hostOf(href);
  return name && !text.includes(name) ? ` <span class="host">${escapeHTML(name)}</span>` : '';
}

function mathHTML({ tex, display, closed, raw }: MathToken): string {
  const html = closed ? renderMath(tex, display) : '';
  return html ? `<span class="math">${html}</span>` : `<code class="tex">${escapeHTML(raw.trim())}</code>`;
}

const TAGS = ['b', 'strong', 'em', 'i', 'del', 'a', 'code', 'br', 'span', 'sub', 'sup', 'kbd'];
const ATTRIBUTES = ['href', 'rel', 'class', 'role', 'aria-label', 'data-mark', 'data-footnote'];
// What KaTeX writes.
const MATH_TAGS = [
  ...['math', 'semantics', 'annotation', 'mrow', 'mi', 'mo', 'mn', 'ms', 'mtext', 'mspace', 'msup', 'msub', 'msubsup'],
  ...['mfrac', 'msqrt', 'mroot', 'mover', 'munder', 'munderover', 'mtable', 'mtr', 'mtd', 'mlabeledtr', 'mstyle'],
  ...['mpadded', 'mphantom', 'menclose', 'svg', 'path', 'line'],
];
const MATH_ATTRIBUTES = [
  ...['style', 'aria-hidden', 'xmlns', 'encoding', 'display', 'mathvariant', 'mathsize', 'mathcolor', 'mathbackground'],
  ...['stretchy', 'fence', 'separator', 'lspace', 'rspace', 'minsize', 'maxsize', 'symmetric', 'largeop', 'notation'],
  ...['movablelimits', 'scriptlevel', 'displaystyle', 'columnalign', 'columnspacing', 'columnlines', 'rowspacing'],
  ...['rowlines', 'accent', 'accentunder', 'linethickness', 'width', 'height', 'depth', 'voffset', 'side', 'viewBox'],
  ...['preserveAspectRatio', 'd', 'x1', 'x2', 'y1', 'y2', 'stroke-width'],
];
const PROSE = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOWED_URI_REGEXP: /^(?:https?:|#note-)/i,
  ALLOW_DATA_ATTR: false,
  // Without this, values that are no allowed address are dropped.
  ADD_URI_SAFE_ATTR: ATTRIBUTES.filter((name) => name !== 'href'),
};
const WITH_MATH = {
  ...PROSE,
  ALLOWED_TAGS: [...TAGS, ...MATH_TAGS],
  ALLOWED_ATTR: [...ATTRIBUTES, ...MATH_ATTRIBUTES],
  ADD_URI_SAFE_ATTR: [...PROSE.ADD_URI_SAFE_ATTR, ...MATH_ATTRIBUTES],
};
/** The styles that KaTeX writes: lengths and colors, nothing that loads or leaves the line. */
const MATH_STYLE =
  /^(?:(?:height|width|min-width|top|left|vertical-align|(?:margin|padding|border)(?:-[a-z]+)*|color|background-color|position):(?!\s*(?:fixed|absolute|sticky))[\w\s.#%+-]*;?\s*)*$/;

let purifier: ReturnType<typeof createPurifier> | undefined;

function sanitize(html: string): string {
  if (!html.includes('<')) return html;
  if (!purifier) {
    purifier = createPurifier(window);
    purifier.addHook('uponSanitizeAttribute', (_, data) => {
      if (data.attrName === 'style' && !MATH_STYLE.test(data.attrValue)) data.keepAttr = false;
    });
  }
  // In happy-dom, which runs the tests, the first element is lost. So that is an element without a meaning.
  return purifier.sanitize(`<span>${html}</span>`, html.includes('<span class="math">') ? WITH_MATH : PROSE);
}

const parser = new Parser(marked.defaults);

/** Renders inline tokens as safe HTML. `[12]` becomes an annotation badge with `data-mark`. */
export const inlineHTML = (tokens: Token[] = []): string => sanitize(parser.parseInline(tokens));

/** Renders a formula on its own line as safe HTML, and as it was written until it is complete and KaTeX is loaded. */
export const mathBlockHTML = (token: MathToken): string => sanitize(mathHTML(token));

/** The most characters that are read as Markdown. Longer text is shown as it is. */
const TEXT_MAX = 300_000;

/** A Markdown text that may grow. Blocks that further text cannot change keep their tokens, so they are not redrawn. */
export class MarkdownDocument {
  #text = '';
  #blocks: Token[] = [];
  #links: Links = {};

  /** Sets the whole text and returns its blocks. */
  update(text: string): Block[] {
    text = text.replace(/\r\n?/g, '\n');
    if (text.length > TEXT_MAX) return [{ type: 'html', block: true, pre: false, raw: text, text }];
    if (text !== this.#text) this.#read(text);
    return this.#blocks as Block[];
  }

  #read(text: string): void {
    const kept = text.startsWith(this.#text) ? this.#finished() : [];
    let blocks = kept;
    try {
      const start = kept.reduce((sum, block) => sum + block.raw.length, 0);
      // A link definition changes the blocks before it.
      const defines = start > 0 && /\[(?!\^)[^\]]*\]:/.test(text.slice(start));
      if (defines) blocks = [];
      blocks = [...blocks, ...this.#lex(defines ? text : text.slice(start), !defines && start > 0)];
    } catch {
      blocks = [{ type: 'html', block: true, pre: false, raw: text, text }];
    }
    this.#blocks = blocks;
    this.#text = text;
  }

  /** Returns all blocks but the last two with content. Text that is appended can join only these. */
  #finished(): Token[] {
    let end = this.#blocks.length;
    for (let open = 2; end > 0 && open > 0;) if (this.#blocks[--end]?.type !== 'space') open--;
    return this.#blocks.slice(0, end);
  }

  #lex(text: string, continues: boolean): Token[] {
    const lexer = new BoundedLexer(marked.defaults);
    if (continues) Object.assign(lexer.tokens.links, this.#links);
    const tokens = lexer.lex(text);
    this.#links = tokens.links;
    return [...tokens];
  }
}

/** Replaces HTML entities such as `&amp;`. */
function decode(text: string): string {
  if (!text.includes('&')) return text;
  const area = document.createElement('textarea');
  area.innerHTML = text;
  return area.value;
}

/** Returns Markdown as text without its syntax, to be copied. */
export const plainText = (markdown: string): string => blocksText(new MarkdownDocument().update(markdown));

const blocksText = (tokens: Token[]): string =>
  (tokens as Block[])
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');

function blockText(token: Block): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return '';
    case 'code':
      return token.text;
    case 'blockquote':
      return blocksText(token.tokens);
    case 'list':
      return listText(token as Tokens.List);
    case 'table':
      return [token.header, ...token.rows]
        .map((row: Tokens.TableCell[]) => row.map((cell) => inlineText(cell.tokens)).join('\t'))
        .join('\n');
    case 'mathBlock':
      return token.tex;
    case 'details':
      return [inlineText(token.summary), blocksText(token.tokens)].filter(Boolean).join('\n\n');
    case 'footnotes':
      return token.notes.map((note) => `[${note.label}] ${blocksText(note.tokens)}`).join('\n');
    case 'html':
      return token.text.trim();
    default:
      return inlineText('tokens' in token && token.tokens ? token.tokens : [token as Token]);
  }
}

function listText(list: Tokens.List): string {
  const items = list.items.map((item, i) => {
    const bullet = list.ordered ? `${Number(list.start || 1) + i}. ` : '- ';
    const box = item.tokens[0]?.type === 'checkbox' ? item.tokens[0].raw : '';
    const parts = item.tokens.slice(box ? 1 : 0).map((token) => blockText(token as Block));
    const text = parts.filter(Boolean).join(item.loose ? '\n\n' : '\n');
    return bullet + box + text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(bullet.length)}`);
  });
  return items.join(list.loose ? '\n\n' : '\n');
}

function inlineText(tokens: Token[]): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case 'br':
          return '\n';
        case 'html':
          return /^<br/i.test(token.raw) ? '\n' : SAFE_HTML.test(token.raw) ? '' : token.raw;
        case 'math':
          return (token as MathToken).tex;
        case 'mark':
        case 'footnote':
          return token.raw.replace('^', '');
        case 'checkbox':
          return token.raw;
        case 'link': {
          const text = inlineText(token.tokens ?? []);
          return token.href && !token.href.includes(text) ? `${text} (${token.href})` : text;
        }
        case 'codespan':
        case 'image':
        case 'escape':
          return token.text;
        default:
          return 'tokens' in token && token.tokens ? inlineText(token.tokens) : decode(token.raw);
      }
    })
    .join('');
}
