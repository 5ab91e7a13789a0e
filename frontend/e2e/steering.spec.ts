import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { gate, sendMessage, Sextant, conversation } from './sextant';

const box = (page: Page) => page.getByRole('textbox', { name: 'Message to the assistant' });
const queued = (page: Page) => page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');

async function write(page: Page, text: string, keys: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press(keys);
  await expect(box(page)).toHaveValue('');
}

test('a message sent during a turn steers it or is queued, and a queued one can be edited or removed', async ({
  page,
}) => {
  const [first, second] = [gate(), gate()];
  const model = await ModelServer.start([
    { text: 'Opening it.', until: first.until, calls: [{ name: 'navigate_page', args: { url: 'demo' } }] },
    { text: 'Not opened then.', until: second.until },
    { text: 'The second turn.' },
  ]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'open the demo');
    await expect(conversation(page)).toContainText('Opening it.');

    await write(page, 'rather leave it closed', 'Enter');
    await expect(queued(page)).toHaveCount(1);
    await expect(queued(page)).toContainText('Sends after this step');
    await write(page, 'never mind this', 'Alt+Enter');
    await write(page, 'then say', 'Alt+Enter');
    await expect(queued(page).nth(2)).toContainText('Sends after this answer');
    await queued(page).nth(1).getByRole('button', { name: 'Remove' }).click();
    await expect(queued(page)).toHaveCount(2);
    await queued(page).nth(1).getByRole('button', { name: 'Edit' }).click();
    await expect(box(page)).toHaveValue('then say');
    await write(page, 'then say what you did', 'Alt+Enter');
    await expect(queued(page)).toHaveCount(2);
    const found = await new AxeBuilder({ page }).include('[data-region=assistant]').analyze();
    expect(found.violations).toEqual([]);

    first.open();
    await expect(conversation(page)).toContainText('Added to the answer after');
    await expect(queued(page)).toHaveCount(1);
    await expect(conversation(page)).toContainText('Not opened then.');
    second.open();
    await expect(conversation(page)).toContainText('The second turn.');
    await expect(conversation(page)).toContainText('for the previous answer');
    await expect(queued(page)).toHaveCount(0);

    // The active panel’s tools are announced in a separate message.
    const announcement = (content: unknown) => String(content).startsWith('[From Sextant:');
    const asked = model.requests.map(
      ({ messages }) => messages.filter((m) => !announcement(m.content)).at(-1)!.content,
    );
    expect(asked).toEqual(['open the demo', 'rather leave it closed', 'then say what you did']);
    // The first answer’s call did not run, because the new message came first.
    const results = model.requests[1]!.messages.filter((m) => m.role === 'tool');
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).toContain('not run: the user sent a new message');
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
