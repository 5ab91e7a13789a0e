import type { ServerResourcesApi } from '../shared/api/serverresources';

/** Returns a ServerResourcesApi with one resource and one prompt. */
export function serverResources(): ServerResourcesApi {
  return {
    offers: async () => ({
      resources: [{ uri: 'note:today', name: 'Today', about: 'What is to be done', mime: 'text/markdown' }],
      templates: [{ uri: 'note:{day}', name: 'A day' }],
      prompts: [
        { name: 'review', title: 'Review', arguments: [{ name: 'file', title: 'File', about: '', required: true }] },
      ],
      completes: true,
    }),
    read: async (_, uri) => ({ contents: [{ uri, mime: 'text/plain', text: 'Buy a lamp.', bytes: 11 }], cut: false }),
    watch: async () => false,
    fill: async (_, prompt, args) => ({ text: `${prompt} ${args['file'] ?? ''}`, attached: [], left: [] }),
    complete: async () => ['main.go', 'main_test.go'],
  };
}
