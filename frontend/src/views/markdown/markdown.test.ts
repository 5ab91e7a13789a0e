import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MarkdownDocument, plainText } from '../../shared/text/markdown';
import { renderMath } from '../../shared/text/math.svelte';
import MarkdownTest from './MarkdownTest.svelte';

let mounted: ReturnType<typeof mount> | undefined;

/** Draws Markdown as the window does. */
function dom(text: string): HTMLElement {
  document.body.innerHTML = '';
  mounted = mount(MarkdownTest, { target: document.body, props: { text } });
  flushSync();
  return document.body;
}
afterEach(async () => {
  if (mounted) await unmount(mounted);
  mounted = undefined;
});

const formulas = async (text: string) => {
  renderMath('x', false);
  await vi.waitFor(() => expect(renderMath('x', false)).not.toBe(''), { timeout: 20_000 });
  return dom(text);
};

describe('prose', () => {
  it('formats text as HTML', () => {
    const d = dom('**bold** and `code`\n\n- one\n- two');
    expect(d.querySelector('strong')?.textContent).toBe('bold');
    expect(d.querySelectorAll('li')).toHaveLength(2);
  });
  it('renders no heading elements', () => {
    expect(dom('# Settings').querySelector('h1, h2, h3')).toBeNull();
    expect(dom('# Settings').textContent).toContain('Settings');
  });
  it('turns [12] into a chip, but not in code, links or footnotes', () => {
    expect(dom('see [12] there').querySelector('[data-mark]')?.getAttribute('data-mark')).toBe('12');
    expect(dom('`[12]`').querySelector('[data-mark]')).toBeNull();
    expect(dom('[12](https://a.example)').querySelector('[data-mark]')).toBeNull();
    expect(dom('x[^12]\n\n[^12]: y').querySelector('[data-mark]')).toBeNull();
  });
  it('draws task lists with named boxes', () => {
    const boxes = [...dom('- [x] one\n- [ ] two').querySelectorAll('li.task .task-box')];
    expect(boxes.map((box) => box.getAttribute('aria-label'))).toEqual(['Done', 'Not done']);
    expect(dom('- [x] one').querySelector('input')).toBeNull();
  });
  it('links footnotes and their notes', () => {
    const d = dom('One[^1] and two[^b].\n\n[^1]: First **note**.\n\n[^b]: Second\n    line.');
    expect(d.querySelector('sup a')?.getAttribute('data-footnote')).toBe('1');
    expect([...d.querySelectorAll('[data-note]')].map((a) => a.getAttribute('data-note'))).toEqual(['1', 'b']);
    expect(d.querySelector('.footnotes strong')?.textContent).toBe('note');
    expect(d.querySelector('.footnotes')?.textContent).toContain('line.');
  });
  it('renders details and the Markdown in them', () => {
    const d = dom(
      '<details>\n<summary>More *here*</summary>\n\n- a\n\n<details open>\n\ninner\n</details>\n</details>\n\nafter',
    );
    expect(d.querySelector('summary em')?.textContent).toBe('here');
    expect(d.querySelector('details li')?.textContent).toBe('a');
    expect(d.querySelector<HTMLDetailsElement>('details details')?.open).toBe(true);
    expect(d.querySelector('details')?.textContent).not.toContain('after');
    expect(d.textContent).toContain('after');
  });
});

describe('tables', () => {
  const table = '| a | b | c |\n|:--|:-:|--:|\n| 1 | `x` | 3<br>4 |';
  it('keep the alignment of their columns', () => {
    const cells = [...dom(table).querySelectorAll('td')];
    expect(cells.map((cell) => cell.className.replace(/svelte-\S+/, '').trim())).toEqual(['left', 'center', 'right']);
    expect(cells[2]?.querySelector('br')).not.toBeNull();
  });
  it('can be scrolled by keyboard', () => {
    expect(dom(table).querySelector('[role=region]')?.getAttribute('tabindex')).toBe('0');
  });
  it('draw a bounded number of rows until asked for more', () => {
    const d = dom('| a |\n|---|\n' + '| 1 |\n'.repeat(10_000));
    expect(d.querySelectorAll('tbody tr')).toHaveLength(200);
    d.querySelector<HTMLElement>('.more button')?.click();
    flushSync();
    expect(d.querySelectorAll('tbody tr')).toHaveLength(400);
  });
});

describe('code', () => {
  it('renders a fence that is not closed yet', () => {
    expect(dom('text\n```js\nlet x = "<b>').querySelector('pre')?.textContent).toContain('let x = "<b>');
  });
  it('is highlighted and named after its language', async () => {
    const d = dom('```python\ndef f(): return "<b>"\n```');
    expect(d.querySelector('.code-header')?.textContent).toContain('python');
    await vi.waitFor(() => expect(d.querySelector('.tok-keyword')?.textContent).toBe('def'), { timeout: 20_000 });
    expect(d.querySelector('pre b')).toBeNull();
  });
  it('keeps text and order when it is highlighted', async () => {
    const code = 'a: 1\n\n# c <x>\nb: "&amp;"';
    const d = dom('```yaml\n' + code + '\n```');
    await vi.waitFor(() => expect(d.querySelector('pre [class^=tok]')).not.toBeNull(), { timeout: 20_000 });
    expect(d.querySelector('code')?.textContent).toBe(code + '\n');
  });
});

describe('formulas', () => {
  it.each([
    ['inline $a_1*b*c$ here', 'a_1*b*c'],
    ['inline \\(x^2\\) here', 'x^2'],
    ['$$\\int_0^1 x\\,dx$$', '\\int_0^1 x\\,dx'],
    ['text\n$$\na\n- b\n+ c\n$$\nmore', 'a\n- b\n+ c'],
    ['\\[\n\\frac12\n\\]', '\\frac12'],
    ['a **bold $x$** word', 'x'],
    ['- item $y$', 'y'],
  ])('are drawn in %j', async (text, tex) => {
    const d = await formulas(text);
    expect(d.querySelector('.katex annotation')?.textContent).toBe(tex);
  });
  it.each([
    '$5 and $6',
    'US$5 to US$6',
    '$HOME:$PATH',
    '$5 or 6 EUR$',
    '`$x$`',
    '\\$x\\$',
    'from $5-$10',
    '$ x $',
    '$10 million$',
  ])('are not seen in %j', async (text) => expect((await formulas(text)).querySelector('.katex, code.tex')).toBeNull());
  it('keep the shapes that KaTeX draws', async () => {
    const d = await formulas('$\\sqrt{x}$');
    expect(d.querySelector('.katex svg')?.getAttribute('viewBox')).toMatch(/^0 0 /);
    expect(d.querySelector('.katex path')?.getAttribute('d')).toMatch(/^M/);
  });
  it('that are invalid are shown as they were written', async () => {
    expect((await formulas('$\\frac{1$')).querySelector('code.tex')?.textContent).toBe('$\\frac{1$');
  });
  it.each([
    '\\href{javascript:alert(1)}{x}',
    '\\includegraphics{https://evil.example/x.png}',
    '\\htmlStyle{position:fixed}{x}',
    '\\htmlId{a}{x}',
    '\\url{https://evil.example}',
  ])('cannot load, link or style: %s', async (tex) => {
    const d = await formulas(`$${tex}$`);
    expect(d.querySelector('.katex a, .katex img, .katex [id], .katex [href], [style*=fixed]')).toBeNull();
  });
  it('are bounded in size and number', async () => {
    expect((await formulas(`$${'x'.repeat(5000)}$`)).querySelector('.katex')).toBeNull();
    expect((await formulas('$\\def\\a{\\a\\a}\\a$')).querySelector('.katex')).toBeNull();
    const many = new MarkdownDocument().update('$x$\n\n'.repeat(600)).filter((block) => block.type === 'paragraph');
    expect(many.filter((block) => block.tokens?.[0]?.type === 'math')).toHaveLength(500);
    expect((await formulas('$\\rule{9999em}{9999em}$')).innerHTML).not.toContain('9999em;');
  });
});

describe('hostile text', () => {
  it('is escaped where it is HTML', () => {
    const d = dom(
      '<script>alert(1)</script> <button onclick="x()">Allow</button> <b onmouseover=x>hi</b>\n\n<svg><script>x</script></svg>\n\n<style>*{display:none}</style>',
    );
    expect(d.querySelector('script, [onclick], [onmouseover], svg script, p style, p button')).toBeNull();
    expect(d.textContent).toContain('<button onclick="x()">Allow</button>');
  });
  it('loads no images', () => {
    const d = dom('![track](https://evil.example/p.png?data=1)');
    expect(d.querySelector('img')).toBeNull();
    expect(d.textContent).toContain('evil.example');
  });
  it('shows the real host of a link', () => {
    const d = dom('[your bank](https://evil.example/login)');
    expect(d.querySelector('a')?.getAttribute('href')).toBe('https://evil.example/login');
    expect(d.textContent).toContain('evil.example');
  });
  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'JaVaScRiPt:alert(1)'])(
    'makes no link of %s',
    (address) => expect(dom(`[x](${address})`).querySelector('a')).toBeNull(),
  );
  it('cannot break out of footnotes, summaries, tables or code', () => {
    const d = dom(
      'a[^"><img/src=x>]\n\n[^"><img/src=x>]: note\n\n<details><summary><img src=x></summary>x</details>\n\n|<img src=x>|\n|-|\n|<img src=x>|\n\n```"><img/src=x>\n<img src=x>\n```',
    );
    expect(d.querySelector('img')).toBeNull();
  });
  it.each([
    ['quotes', '> '.repeat(5000) + 'end'],
    ['lists', Array.from({ length: 400 }, (_, i) => `${' '.repeat(i * 2)}- x`).join('\n') + '\n\nend'],
    ['details', '<details>\n'.repeat(3000) + 'end'],
    ['delimiters', '_a'.repeat(20_000) + ' end'],
    ['brackets', '['.repeat(30_000) + ' end'],
    ['dollars', '$a '.repeat(20_000) + ' end'],
    ['a megabyte', 'word '.repeat(200_000) + 'end'],
  ])('with many %s stays readable', (_, text) => {
    expect(dom(text).textContent).toContain('end');
  });
});

const ANSWER = `# Title

Some *text* with [a link][ref], $x$ and [12].
Setext
---

- one
- two

  more
1. x

| a | b |
|---|---|
| 1 | 2 |

$$
a

> quote
lazy

\`\`\`go
func main() {

}
\`\`\`
<details><summary>S</summary>

inner
</details>

Note[^1].

[ref]: https://example.com/path

[^1]: one
[^2]: two

last\r\nline
`;

describe('a growing text', () => {
  it('has the same blocks as the whole text at every step', () => {
    const growing = new MarkdownDocument();
    for (let n = 1; n <= ANSWER.length; n++) {
      const part = ANSWER.slice(0, n);
      expect(growing.update(part), JSON.stringify(part.slice(-30))).toEqual(new MarkdownDocument().update(part));
    }
  });
  it('keeps the tokens of finished blocks', () => {
    const growing = new MarkdownDocument();
    const before = growing.update('one\n\n```js\nx\n```\n\n| a |\n|---|\n| 1 |\n\nfour');
    const after = growing.update('one\n\n```js\nx\n```\n\n| a |\n|---|\n| 1 |\n\nfour and more');
    expect(after[0]).toBe(before[0]);
    expect(after[2]).toBe(before[2]);
  });
  it('leaves the elements of finished blocks alone', () => {
    const d = dom('');
    const set = (text: string) => {
      (mounted as unknown as { setText: (text: string) => void }).setText(text);
      flushSync();
    };
    set('one **two**\n\n```js\nlet x\n```\n\nthree\n\nfour');
    const elements = [...d.querySelectorAll('strong, pre, code span')];
    expect(elements.length).toBeGreaterThan(2);
    set('one **two**\n\n```js\nlet x\n```\n\nthree\n\nfour five\n\nsix');
    expect([...d.querySelectorAll('strong, pre, code span')]).toEqual(elements);
    expect(elements.every((element) => element.isConnected)).toBe(true);
  });
});

describe('text that is copied', () => {
  it.each([
    [
      '## Title\n\nSome **bold** `code` &amp; [text](https://a.example).',
      'Title\n\nSome bold code & text (https://a.example).',
    ],
    ['- a\n- b\n  1. c\n  2. d', '- a\n- b\n  1. c\n  2. d'],
    ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open'],
    ['| a | b |\n|---|---|\n| **1** | 2 |', 'a\tb\n1\t2'],
    ['```js\nlet x;\n\nlet y;\n```', 'let x;\n\nlet y;'],
    ['one[^1]\n\n[^1]: note', 'one[1]\n\n[1] note'],
    ['> quote\n\n$$x^2$$\n\nsee [12]', 'quote\n\nx^2\n\nsee [12]'],
    ['https://a.example/x', 'https://a.example/x'],
  ])('has no syntax: %j', (markdown, text) => expect(plainText(markdown)).toBe(text));
});
