/** Messages of sextant:// links, which are loaded with the first one. */
export const links = {
  'link.address': 'A link asks to open {address}.',
  'link.open': 'Open',
  'link.waits': 'A link asks to show the {kind} {name}.',
  'link.show': 'Show',
  'link.conversation.gone': 'The conversation of this link is not here. It may have been deleted.',
  'link.panel.gone': 'There is no panel called {name}.',
  'link.recipe.gone': 'There is no recipe called {name}.',
};
