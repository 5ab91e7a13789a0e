import { beforeEach, describe, expect, it } from 'vitest';
import type { Input } from '../../shared/api/types';
import { PageInput } from './pageinput';

let sent: Input[];
let pageInput: PageInput;
beforeEach(() => {
  sent = [];
  pageInput = new PageInput(
    (input) => sent.push(input),
    (x, y) => ({ x: x / 2, y: y / 2 }),
  );
});
const key = (init: KeyboardEventInit) => new KeyboardEvent('keydown', init);

describe('input on the live picture', () => {
  it('reports a press in CSS pixels of the page', () => {
    pageInput.press(
      new MouseEvent('mousedown', { clientX: 100, clientY: 40, button: 2, detail: 2, shiftKey: true }),
      'down',
    );
    expect(sent).toEqual([{ type: 'down', x: 50, y: 20, button: 'right', count: 2, modifiers: 8 }]);
  });
  it('sends letters as keys with text', () => {
    expect(pageInput.key(key({ key: 'ä', code: 'Quote' }), 'keydown')).toBe(true);
    expect(sent[0]).toMatchObject({ type: 'keydown', key: 'ä', text: 'ä', modifiers: 0 });
  });
  it('sends no text with Control held, but does with AltGr', () => {
    pageInput.key(key({ key: 'a', ctrlKey: true }), 'keydown');
    expect(sent[0]?.text).toBeUndefined();
    pageInput.key(key({ key: '@', ctrlKey: true, altKey: true }), 'keydown');
    expect(sent[1]).toMatchObject({ text: '@', modifiers: 0 });
  });
  it('leaves composition and dead keys to the input method', () => {
    expect(pageInput.key(key({ key: 'Dead' }), 'keydown')).toBe(false);
    expect(pageInput.key(key({ key: 'a', isComposing: true }), 'keydown')).toBe(false);
    expect(pageInput.key(key({ key: 'Process', keyCode: 229 }), 'keydown')).toBe(false);
    expect(sent).toEqual([]);
    pageInput.text('日本');
    expect(sent).toEqual([{ type: 'text', text: '日本' }]);
  });
  it('merges wheel events and sends them before the next press', () => {
    pageInput.wheel(new WheelEvent('wheel', { deltaY: 100 }));
    pageInput.wheel(new WheelEvent('wheel', { deltaY: 20 }));
    pageInput.press(new MouseEvent('mousedown', { detail: 1 }), 'down');
    expect(sent.map((i) => [i.type, i.dy])).toEqual([
      ['wheel', 120],
      ['down', undefined],
    ]);
  });
  it('sends the last move before text', () => {
    pageInput.move(new MouseEvent('mousemove'));
    pageInput.text('a');
    expect(sent.map((i) => [i.type, i.button])).toEqual([
      ['move', undefined], // no button is held
      ['text', undefined],
    ]);
  });
});
