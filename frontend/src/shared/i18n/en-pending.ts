/** What is said of panels that changed, and of pinned ones. */
export const pending = {
  'pending.bar': 'a change waits for you',
  'pending.label': 'Change of this panel',
  'pending.question': 'Take over the changed manifest of {title}?',
  'pending.runs': 'The version you accepted runs until then.',
  'pending.take': 'Take over',
  'pending.leave': 'Leave it out',
  'pending.develop': 'Take over, and do not ask while I work on it',
  'pending.develop.means': 'Until Sextant ends. More permissions and another command still ask.',
  'pending.diff': 'What changes in manifest.json',
  'pending.declined': 'A change of manifest.json was left out. The version you accepted runs.',
  'pending.show': 'Show it',
  'pending.developing': 'Changes of its tools are taken over without asking until Sextant ends.',
  'pending.developing.stop': 'Ask again',
  'pin.pin': 'Pin: offer its tools while another panel is open',
  'pin.unpin': 'Pinned: its tools are offered while another panel is open. Unpin',
} as const;
