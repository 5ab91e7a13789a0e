import type { MarkElement } from '../../../shared/api/types';
import type { IconName } from '../../../shared/ui/icons';

const ICONS: Record<string, IconName> = {
  link: 'link',
  textbox: 'text-cursor-input',
  searchbox: 'text-cursor-input',
  combobox: 'text-cursor-input',
  spinbutton: 'text-cursor-input',
  listbox: 'list',
  checkbox: 'square-check',
  radio: 'square-check',
  switch: 'square-check',
  button: 'rectangle-horizontal',
  menuitem: 'list',
  tab: 'sticky-note',
  slider: 'settings-2',
  option: 'list',
};

/** Returns the icon for an element's role. */
export const roleIcon = (role: string) => ICONS[role] ?? 'rectangle-horizontal';

const SHOWN = ['disabled', 'current', 'expanded', 'selected', 'pressed', 'invalid', 'required', 'readonly'];

/** Returns why an element is unusable, else its state, else its value. A row of the list has no room for more. */
export function stateText(element: MarkElement): string {
  const states = element.states ?? [];
  const covered = states.find((state) => state.startsWith('covered') || state.startsWith('off:'));
  if (covered) return covered.startsWith('covered') ? 'covered' : covered.slice(4).trim();
  if (states.includes('checked')) return 'on';
  return states.find((state) => SHOWN.includes(state)) ?? element.value ?? '';
}
