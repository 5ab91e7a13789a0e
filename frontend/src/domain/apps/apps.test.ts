import { expect, test } from 'vitest';
import type { Actions } from '../actions';
import { Apps } from './apps.svelte';
import { DenialLimiter } from './deniallimiter';

const newApps = () => new Apps({} as Actions);

test('closes the oldest page over the limit, never the newest', () => {
  const apps = newApps();
  apps.offer('newest');
  for (const call of ['a', 'b', 'c', 'd']) apps.show(call);
  expect([...apps.live]).toEqual(['newest', 'c', 'd']);
  const before = apps.live;
  apps.drop('gone');
  expect(apps.live).toBe(before);
});

test('does not let a page return to fullscreen after the person moved it back', () => {
  const apps = newApps();
  apps.offer('a');
  expect(apps.askMode('a', 'fullscreen')).toBe('fullscreen');
  apps.setMode('a', 'inline');
  expect(apps.askMode('a', 'fullscreen')).toBe('inline');
  expect(apps.askMode('a', 'pip')).toBe('inline');
  apps.setMode('a', 'pip');
  expect(apps.askMode('a', 'fullscreen')).toBe('fullscreen');
});

test('pauses requests of a server’s pages after a denial, and blocks them after two until the app is shown again', () => {
  let now = 0;
  const limiter = new DenialLimiter(() => now);
  expect(limiter.refusal).toBe('');
  limiter.record(false);
  expect(limiter.refusal).not.toBe('');
  now = 4000;
  expect(limiter.refusal).toBe('');
  limiter.record(true);
  limiter.record(false);
  now = 8000;
  limiter.record(false);
  now = 1e9;
  expect(limiter.refusal).toContain('twice');

  const apps = newApps();
  apps.denialLimiter('s').record(false);
  apps.denialLimiter('s').record(false);
  expect(apps.denialLimiter('other').refusal).toBe('');
  expect(apps.denialLimiter('s').refusal).not.toBe('');
  apps.show('a', 's');
  expect(apps.denialLimiter('s').refusal).toBe('');
});
