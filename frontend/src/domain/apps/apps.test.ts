import { expect, test } from 'vitest';
import type { Actions } from '../actions';
import { Apps } from './apps.svelte';
import { DenialLimiter } from './deniallimiter';

const made = () => new Apps({} as Actions);

test('of too many pages the oldest goes, and never the newest', () => {
  const apps = made();
  apps.offer('newest');
  for (const call of ['a', 'b', 'c', 'd']) apps.show(call);
  expect([...apps.live]).toEqual(['newest', 'c', 'd']);
  const before = apps.live;
  apps.drop('gone');
  expect(apps.live).toBe(before);
});

test('a page does not take the stage again that the person took from it', () => {
  const apps = made();
  apps.offer('a');
  expect(apps.askMode('a', 'fullscreen')).toBe('fullscreen');
  apps.setMode('a', 'inline');
  expect(apps.askMode('a', 'fullscreen')).toBe('inline');
  expect(apps.askMode('a', 'pip')).toBe('inline');
  apps.setMode('a', 'pip');
  expect(apps.askMode('a', 'fullscreen')).toBe('fullscreen');
});

test('after a no there is a rest for all pages of a server, after two nothing more until the app is shown anew', () => {
  let now = 0;
  const held = new DenialLimiter(() => now);
  expect(held.refusal).toBe('');
  held.record(false);
  expect(held.refusal).not.toBe('');
  now = 4000;
  expect(held.refusal).toBe('');
  held.record(true);
  held.record(false);
  now = 8000;
  held.record(false);
  now = 1e9;
  expect(held.refusal).toContain('twice');

  const apps = made();
  apps.denialLimiter('s').record(false);
  apps.denialLimiter('s').record(false);
  expect(apps.denialLimiter('other').refusal).toBe('');
  expect(apps.denialLimiter('s').refusal).not.toBe('');
  apps.show('a', 's');
  expect(apps.denialLimiter('s').refusal).toBe('');
});
