import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelServer, type Request } from './model-server';
import { sendMessage, Sextant } from './sextant';

/** Returns the last message that the model received, as JSON without backslashes. */
const lastMessage = (asked: Request) => JSON.stringify(asked.messages.at(-1)).replaceAll('\\', '');

/** Returns the number of the first button with this name in the last message that the model received. */
function numbered(asked: Request, name: string): number {
  const found = new RegExp(`\\[(\\d+)\\] button "${name}`).exec(lastMessage(asked));
  if (!found) throw new Error(`no button "${name}" in: ${lastMessage(asked).slice(0, 2000)}`);
  return Number(found[1]);
}

/** Reads a file, opens the demo shop, finds a button by its number and clicks it. */
const script = [
  { text: 'First your notes. ', calls: [{ name: 'read_file', args: { path: 'notes.txt' } }] },
  { calls: [{ name: 'navigate_page', args: { url: 'demo' } }] },
  { calls: [{ name: 'annotate_page', args: {} }] },
  (asked: Request) => ({
    calls: [{ name: 'click_element', args: { annotationId: numbered(asked, 'Add to basket') } }],
  }),
  (asked: Request) => ({ text: `It is in the basket: ${lastMessage(asked).includes('Basket (1)')}.` }),
];

const formats = [
  { name: 'native calls in OpenAI’s format', service: 'openai' },
  { name: 'native calls in Anthropic’s format', service: 'anthropic' },
  { name: 'fenced blocks', service: 'openai', written: 'fenced' },
  { name: 'tool_call JSON', service: 'openai', written: 'tool_call' },
  { name: 'the format of Hermes and Qwen', service: 'openai', written: 'hermes' },
] as const;

for (const { name, service, ...more } of formats) {
  test(`a model that writes ${name} reads a file and operates a page`, async ({ page }) => {
    const model = await ModelServer.start(script, 'written' in more ? more.written : undefined);
    const key = service.toUpperCase();
    const sextant = await Sextant.start({
      env: {
        [`SEXTANT_${key}_BASE_URL`]: service === 'anthropic' ? model.url.replace(/\/v1$/, '') : model.url,
        [`SEXTANT_${key}_API_KEY`]: 'k',
        SEXTANT_MODEL: `${service}/test-model`,
      },
    });
    try {
      await writeFile(join(sextant.work, 'notes.txt'), 'A lamp for the desk, under 80 euros.\n');
      await page.goto(sextant.window());
      await sendMessage(page, 'Read notes.txt and put a lamp that fits into the basket of the demo shop.');
      const conversation = page.getByRole('region', { name: 'Conversation', exact: true });
      await expect(conversation.getByText('It is in the basket: true.', { exact: true })).toBeVisible({
        timeout: 60_000,
      });
      await expect(conversation).toContainText('First your notes.');
      await expect(conversation).not.toContainText('tool_call');
      expect(JSON.stringify(model.requests[1]!.messages)).toContain('A lamp for the desk');
    } finally {
      await sextant.stop();
      await model.stop();
    }
  });
}

test('without a configured model the command pilot does the same', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await writeFile(join(sextant.work, 'notes.txt'), 'A lamp for the desk, under 80 euros.\n');
    await page.goto(sextant.window());
    await sendMessage(page, 'read notes.txt then open demo');
    const conversation = page.getByRole('region', { name: 'Conversation', exact: true });
    await expect(conversation).toContainText('Opened “Desk lamps', { timeout: 60_000 });
    const { result } = await sextant.mustExecute('annotate_page');
    const button = result!.elements!.find((e) => e.name.startsWith('Add to basket'))!;
    await sendMessage(page, `click ${button.id}`);
    await expect
      .poll(async () => (await sextant.mustExecute('get_page_content')).result!.text, { timeout: 30_000 })
      .toContain('Basket (1)');
  } finally {
    await sextant.stop();
  }
});
