/** Messages of the first steps, which are loaded with them. */
export const welcome = {
  'welcome.title': 'Welcome to Sextant',
  'welcome.intro': 'Three first steps. Each of them can wait.',
  'welcome.folder': 'Folder:',
  'welcome.folder.means':
    'The assistant reads and changes files in this folder. It asks before it changes anything outside it.',
  'welcome.folder.choose': 'Choose another…',
  'welcome.model': 'No model is needed to begin',
  'welcome.model.used': 'Model: {model}',
  'welcome.model.means':
    'Commands such as “click 12” work without one. A language model also plans, answers and does whole tasks.',
  'welcome.model.connect': 'Connect a model…',
  'welcome.demo': 'See how it works',
  'welcome.demo.means': 'Opens a shop that is built in, and puts a number on everything that can be clicked.',
  'welcome.demo.open': 'Open the demo shop',
  'welcome.demo.command': 'open demo',
  'welcome.demo.message': 'Open demo.sextant.test and number the page.',
  'welcome.skip': 'Skip the first steps',
};
