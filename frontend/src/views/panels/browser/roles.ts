import type { MarkElement } from '../../../shared/api/types';

const ICONS: Record<string, string> = {
  link: 'link',
  textbox: 'input',
  searchbox: 'input',
  combobox: 'input',
  spinbutton: 'input',
  listbox: 'list',
  checkbox: 'cbox',
  radio: 'cbox',
  switch: 'cbox',
  button: 'square',
  menuitem: 'list',
  tab: 'note',
  slider: 'gear',
  option: 'list',
};

/** The icon of a role in the list of marks. */
export const roleIcon = (role: string) => ICONS[role] ?? 'square';

const SHOWN = ['disabled', 'current', 'expanded', 'selected', 'pressed', 'invalid', 'required', 'readonly'];

/** The one word a row has room for: why it is off, else on/off, else its value. */
export function stateWord(element: MarkElement): string {
  const states = element.states ?? [];
  const covered = states.find((state) => state.startsWith('covered') || state.startsWith('off:'));
  if (covered) return covered.startsWith('covered') ? 'covered' : covered.slice(4).trim();
  if (states.includes('checked')) return 'on';
  return states.find((state) => SHOWN.includes(state)) ?? element.value ?? '';
}
