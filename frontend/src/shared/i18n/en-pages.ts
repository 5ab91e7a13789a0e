/** Messages of declarative panel pages. */
export const pages = {
  'view.at': 'Updated {time}',
  'view.reading': 'Loading',
  'view.unread': 'Not loaded yet.',
  'view.waits': 'Waiting for your answer in the assistant.',
  'view.empty': 'Nothing here yet.',
  'view.done': '{label}: done',
  'view.send': 'Send',
  'view.row': 'Actions',
  'view.gone': 'The panel no longer has the tool {tool}.',
} as const;
