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
/** Strikes a pose and does something before it ends; tells whether it was kept. */
async function held(meanwhile: () => unknown = () => {}): Promise<boolean> {
  const pose = new WindowFreeze(() => {});
  await pose.begin(stage(), () => Promise.resolve());
  meanwhile();
  await Promise.resolve(); // an observer is told then
  return pose.end();
}

it('what is private on the stage, and what floats over it, is told to be painted over', async () => {
  add('<div role="menu" data-at="300 400 100 110"></div>');
  const turns: boolean[] = [];
  const pose = new WindowFreeze((posing) => turns.push(posing));
  const posed = await pose.begin(stage(), () => Promise.resolve());
  expect(posed.covered).toEqual([
    { x: 300, y: 400, w: 100, h: 110 },
    { x: 50, y: 60, w: 400, h: 300 },
  ]);
  document.querySelector('#term')!.removeAttribute('data-private');
  expect((await pose.begin(stage(), () => Promise.resolve())).covered).toHaveLength(1);
  expect(pose.end()).toBe(true);
  expect(turns.at(-1)).toBe(false);
  expect(pose.end()).toBe(false);
});

it('a pose is kept while nothing moves, and spoilt by what a picture would show', async () => {
  expect(await held()).toBe(true);
  expect(await held(() => (document.querySelector('#plain')!.textContent = 'a new line'))).toBe(true);
  expect(await held(() => (stage().dataset.surface = 'notes'))).toBe(false);
  stage().dataset.surface = 'terminal';
  expect(await held(() => document.querySelector('#term')!.toggleAttribute('data-private'))).toBe(false);
  expect(await held(() => stage().setAttribute('data-at', '60 10 400 500'))).toBe(false);
  expect(await held(() => add('<div class="scrim"></div>'))).toBe(false);
});

it('what came and went meanwhile spoils it too, and so does a time that is too long', async () => {
  const pose = new WindowFreeze(() => {});
  await pose.begin(stage(), () => Promise.resolve());
  add('<div role="dialog" data-at="0 0 10 10"></div>');
  await Promise.resolve();
  document.querySelector('[role=dialog]')!.remove();
  await Promise.resolve();
  expect(pose.end()).toBe(false);

  await pose.begin(stage(), () => Promise.resolve());
  await vi.advanceTimersByTimeAsync(11_000);
  expect(pose.end()).toBe(true);
  await pose.begin(stage(), () => Promise.resolve());
  await vi.advanceTimersByTimeAsync(12_000);
  expect(pose.end()).toBe(false);
});
