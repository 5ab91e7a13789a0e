import { flushSync, mount, unmount } from 'svelte';
import { expect, it, vi } from 'vitest';
import SegmentedControl from './SegmentedControl.svelte';

// A choice takes effect at once, so an arrow key must not wrap from the first option to the last.
it.each([
  ['never', 'ArrowLeft', []],
  ['allow', 'ArrowDown', []],
  ['never', 'ArrowRight', ['ask']],
  ['allow', 'ArrowUp', ['ask']],
])('with %s selected, %s chooses %j', (value, key, chosen) => {
  const onchange = vi.fn();
  const options = ['never', 'ask', 'allow'].map((option) => ({ value: option, label: option }));
  const control = mount(SegmentedControl, { target: document.body, props: { label: 'May', value, options, onchange } });
  flushSync();
  document
    .querySelector('[role="radiogroup"]')!
    .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  void unmount(control);
  expect(onchange.mock.calls.flat()).toEqual(chosen);
});
