import { expect, it } from 'vitest';
import { panelIcon } from './icons';

it.each([
  ['globe', 'globe'],
  ['gear', 'settings-2'],
  ['no-such-icon', 'sticky-note'],
  ['constructor', 'sticky-note'],
  [undefined, 'sticky-note'],
])('a manifest with the icon %s gets the icon %s', (name, icon) => {
  expect(panelIcon(name)).toBe(icon);
});
