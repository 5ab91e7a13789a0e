/** What declarative pages of panels say beside the panel's own words. */
export const pages = {
  'view.refresh': 'Read again',
  'view.at': 'Read {time}',
  'view.reading': 'Reading',
  'view.unread': 'Not read yet.',
  'view.waits': 'Waits for your answer in the assistant.',
  'view.empty': 'Nothing here yet.',
  'view.done': '{label}: done',
  'view.send': 'Send',
  'view.row': 'Actions',
  'view.gone': 'The panel has no tool {tool} any more.',
} as const;
