/** Messages about the person's own instructions and the prompt notes. */
export const instructions = {
  'settings.instructions': 'Instructions',
  'settings.instructions.means':
    'What the assistant follows in every turn, from the next message on. Only you can change your instructions.',
  'instructions.everywhere': 'Everywhere',
  'instructions.everywhere.example': 'For example: Answer in Spanish. Prefer short answers.',
  'instructions.folder': 'In this folder',
  'instructions.folder.means': 'Also followed while the assistant works in this folder or a folder in it:',
  'instructions.folder.example': 'For example: Prices in this project are in cents.',
  'instructions.elsewhere': 'In other folders',
  'instructions.notes': 'Prompt notes',
  'instructions.notes.means':
    'Short instructions that the assistant noted for later turns, such as when you said “from now on”.',
  'instructions.notes.none': 'No prompt notes yet. Ask the assistant to remember how you want something done.',
  'instructions.note.removed': 'Prompt note removed',
  'instructions.removed': 'Instructions removed',
  'instructions.edit': 'Edit: {what}',
  'instructions.remove': 'Remove: {what}',
  'instructions.save': 'Save',
  'instructions.discard': 'Discard changes',
  'instructions.length': '{n} of {limit} characters',
  'instructions.long': 'The text is {n} {n|character|characters} too long.',
};
