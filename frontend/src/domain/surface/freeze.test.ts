import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WindowFreeze } from './freeze';

beforeEach(() => {
  vi.useFakeTimers();
  Element.prototype.checkVisibility = () => true;
  Element.prototype.getBoundingClientRect = function (this: Element) {
    const [x = 0, y = 0, width = 0, height = 0] = (this.getAttribute('data-at') ?? '').split(' ').map(Number);
    return { x, y, width, height } as DOMRect;
  };
  document.body.innerHTML = `<main data-surface="terminal" data-at="50 10 400 500">
    <div id="term" data-private data-at="50 60 400 300">cat key</div><p id="plain"></p></main>`;
});
afterEach(() => vi.useRealTimers());

const stage = () => document.querySelector<HTMLElement>('main')!;
const add = (html: string) => document.body.insertAdjacentHTML('beforeend', html);
/** Runs `meanwhile` during a freeze, and reports whether nothing changed. */
async function unchangedAfter(meanwhile: () => unknown = () => {}): Promise<boolean> {
  const freeze = new WindowFreeze(() => {});
  await freeze.begin(stage(), () => Promise.resolve());
  meanwhile();
  await Promise.resolve(); // let the observer run
  return freeze.end();
}

it('reports private elements and overlays', async () => {
  add('<div role="menu" data-at="300 400 100 110"></div>');
  const states: boolean[] = [];
  const freeze = new WindowFreeze((frozen) => states.push(frozen));
  const layout = await freeze.begin(stage(), () => Promise.resolve());
  expect(layout.covered).toEqual([
    { x: 300, y: 400, w: 100, h: 110 },
    { x: 50, y: 60, w: 400, h: 300 },
  ]);
  document.querySelector('#term')!.removeAttribute('data-private');
  expect((await freeze.begin(stage(), () => Promise.resolve())).covered).toHaveLength(1);
  expect(freeze.end()).toBe(true);
  expect(states.at(-1)).toBe(false);
  expect(freeze.end()).toBe(false);
});

it('is valid while nothing moves, and invalid after a visible change', async () => {
  expect(await unchangedAfter()).toBe(true);
  expect(await unchangedAfter(() => (document.querySelector('#plain')!.textContent = 'a new line'))).toBe(true);
  expect(await unchangedAfter(() => (stage().dataset.surface = 'notes'))).toBe(false);
  stage().dataset.surface = 'terminal';
  expect(await unchangedAfter(() => document.querySelector('#term')!.toggleAttribute('data-private'))).toBe(false);
  expect(await unchangedAfter(() => stage().setAttribute('data-at', '60 10 400 500'))).toBe(false);
  expect(await unchangedAfter(() => add('<div class="scrim"></div>'))).toBe(false);
});

it('is invalid after an overlay came and went, and after the timeout', async () => {
  const freeze = new WindowFreeze(() => {});
  await freeze.begin(stage(), () => Promise.resolve());
  add('<div role="dialog" data-at="0 0 10 10"></div>');
  await Promise.resolve();
  document.querySelector('[role=dialog]')!.remove();
  await Promise.resolve();
  expect(freeze.end()).toBe(false);

  await freeze.begin(stage(), () => Promise.resolve());
  await vi.advanceTimersByTimeAsync(11_000);
  expect(freeze.end()).toBe(true);
  await freeze.begin(stage(), () => Promise.resolve());
  await vi.advanceTimersByTimeAsync(12_000);
  expect(freeze.end()).toBe(false);
});
