import { flushSync, mount, unmount } from 'svelte';
import { expect, it, vi } from 'vitest';
import Seg from './Seg.svelte';

it('arrows stop at the ends of a choice, for they act at once', () => {
  const chosen = vi.fn();
  const options = ['never', 'ask', 'allow'].map((value) => ({ value, label: value }));
  const press = (value: string, key: string) => {
    chosen.mockClear();
    const seg = mount(Seg, { target: document.body, props: { label: 'May', value, options, onchange: chosen } });
    flushSync();
    document
      .querySelector('.seg')!
      .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    void unmount(seg);
    return chosen.mock.calls.flat();
  };
  expect(press('never', 'ArrowLeft')).toEqual([]);
  expect(press('allow', 'ArrowDown')).toEqual([]);
  expect(press('never', 'ArrowRight')).toEqual(['ask']);
  expect(press('allow', 'ArrowUp')).toEqual(['ask']);
});
