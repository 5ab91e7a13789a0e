import type { ListedRecipe } from '../shared/api/types';

/** A recipe for the demo shop. */
export const recipes: [ListedRecipe] = [
  {
    recipe: {
      name: 'order-lamp',
      description: 'Orders a lamp in the demo shop.',
      parameters: [
        { name: 'search', description: 'Search', default: 'Fen' },
        { name: 'postcode', description: 'Postcode', default: '10437' },
      ],
      steps: [
        { tool: 'navigate_page', args: { url: 'demo' } },
        {
          tool: 'type_text',
          args: { annotationId: { role: 'searchbox', name: 'Search' }, text: '{{search}}', submit: true },
          expect: { event: 'navigated', url: 'http://demo.sextant.test/search' },
        },
        {
          tool: 'type_text',
          args: { annotationId: { role: 'textbox', name: 'Postcode' }, text: '{{postcode}}' },
        },
      ],
    },
    tool: 'recipe_order_lamp',
    sentences: [
      'Open demo',
      'Type “{{search}}” into searchbox “Search” and press Enter',
      'Type “{{postcode}}” into textbox “Postcode”',
    ],
  },
];
