import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './markdown';

function dom(text: string): HTMLElement {
  const div = document.createElement('div');
  div.innerHTML = renderMarkdown(text);
  return div;
}

describe('rendered Markdown', () => {
  it('formats text as HTML', () => {
    const d = dom('**bold** and `code`\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |');
    expect(d.querySelector('strong')?.textContent).toBe('bold');
    expect(d.querySelectorAll('li')).toHaveLength(2);
    expect(d.querySelectorAll('td')).toHaveLength(2);
  });
  it('escapes raw HTML', () => {
    const d = dom('<script>alert(1)</script> <button onclick="x()">Allow</button> <b onmouseover=x>hi</b>');
    expect(d.querySelector('script, button, [onclick], [onmouseover]')).toBeNull();
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
  it('drops links that run scripts', () => {
    for (const bad of [
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'JaVaScRiPt:alert(1)',
    ])
      expect(dom(`[x](${bad})`).querySelector('a')).toBeNull();
  });
  it('renders no heading elements', () => {
    expect(dom('# Settings').querySelector('h1, h2, h3')).toBeNull();
    expect(dom('# Settings').textContent).toContain('Settings');
  });
  it('turns [12] into a chip, but not in code, links or footnotes', () => {
    expect(dom('see [12] there').querySelector('[data-mark]')?.getAttribute('data-mark')).toBe('12');
    expect(dom('`[12]`').querySelector('[data-mark]')).toBeNull();
    expect(dom('[12](https://a.example)').querySelector('[data-mark]')).toBeNull();
  });
  it('renders a code fence that is not closed yet', () => {
    expect(dom('text\n```js\nlet x = "<b>').textContent).toContain('let x = "<b>');
  });
});
