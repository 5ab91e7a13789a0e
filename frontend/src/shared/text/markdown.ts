import createPurifier from 'dompurify';
import { Marked, type Tokens } from 'marked';
import { hostOf } from '../format/address';

// A model's text is untrusted because it may contain text from pages. So raw HTML is escaped, nothing is loaded, and
// links show their real host.

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

const marked = new Marked({ gfm: true, breaks: true });

marked.use({
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
    image: ({ text, href }: Tokens.Image) =>
      `<span class="chip outlined picture">${escape(text || href)}${host(href, text)}</span>`,
    link({ href, tokens, text }: Tokens.Link) {
      const inner = this.parser.parseInline(tokens);
      if (!/^https?:\/\//i.test(href)) return inner;
      return `<a href="${escape(href)}" rel="noreferrer noopener">${inner}</a>${host(href, text)}`;
    },
    heading({ tokens }: Tokens.Heading) {
      return `<p class="heading"><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
    table(token: Tokens.Table) {
      const cell = (tag: string) => (c: Tokens.TableCell) => `<${tag}>${this.parser.parseInline(c.tokens)}</${tag}>`;
      const head = token.header.map(cell('th')).join('');
      const rows = token.rows.map((r) => `<tr>${r.map(cell('td')).join('')}</tr>`).join('');
      return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
    },
  },
  extensions: [
    {
      name: 'mark',
      level: 'inline',
      start: (src: string) => src.match(/\[\d{1,6}\]/)?.index,
      tokenizer(src: string) {
        const found = /^\[(\d{1,6})\](?![(:[])/.exec(src);
        return found ? { type: 'mark', raw: found[0], id: found[1] } : undefined;
      },
      renderer: (token) => `<b class="annotation in-text" data-mark="${String(token.id)}">${String(token.id)}</b>`,
    },
  ],
});

/** Returns the host to show after a link, or "" if the link's text contains it. */
function host(href: string, text: string): string {
  const name = hostOf(href);
  return name && !text.includes(name) ? ` <span class="host">${escape(name)}</span>` : '';
}

const TAGS = ['p', 'b', 'strong', 'em', 'i', 'del', 'a', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre', 'br', 'hr'];
const TABLE = ['table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'span'];

let purifier: ReturnType<typeof createPurifier> | undefined;

/** Renders a model's Markdown as safe HTML. `[12]` becomes an annotation badge with `data-mark`. */
export function renderMarkdown(text: string): string {
  purifier ??= createPurifier(window);
  return purifier.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: [...TAGS, ...TABLE],
    ALLOWED_ATTR: ['href', 'rel', 'class', 'data-mark', 'start', 'tabindex'],
    ALLOWED_URI_REGEXP: /^https?:/i,
    ALLOW_DATA_ATTR: false,
  });
}
