import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.beforeEach(async () => {
  model = await ModelServer.start([
    { text: 'Noted.' },
    { text: 'The list of articles was read; the mug is the cheapest.' },
    { text: 'The mug.' },
    { text: 'Still the mug.' },
  ]);
  sextant = await Sextant.start({
    env: { ...model.env, SEXTANT_CONTEXT_WINDOW: '4000' },
  });
});
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

test('a long conversation is summarised, and one click sends all of it again', async ({ page }) => {
  await page.goto(sextant.window());
  const goal = `Never spend more than 50 euros. ${'These are the articles of the shop. '.repeat(180)}`.trim();
  await sendMessage(page, goal);
  const conversation = page.getByRole('region', { name: 'Conversation', exact: true });
  await expect(conversation.getByText('Noted.', { exact: true })).toBeVisible();
  await sendMessage(page, 'Which one is the cheapest?');
  await expect(conversation.getByText('The mug.', { exact: true })).toBeVisible();

  const row = conversation.getByRole('region', { name: 'Earlier part summarized' });
  const toggle = row.getByRole('button', { name: /Earlier part summarized/ });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(row.getByText('the mug is the cheapest')).toBeVisible();
  await expect(row.getByText('Never spend more than 50 euros.')).toBeVisible();
  const asked = model.requests.at(-1)!.messages;
  expect(asked[1]?.content).toContain('What was done and found:\nThe list of articles was read');
  expect(asked[1]?.content).toContain('> Never spend more than 50 euros.');
  expect(asked.map((m) => m.content)).not.toContain(goal);

  const { violations } = await new AxeBuilder({ page }).include('.conversation-summary').analyze();
  expect(violations.map((v) => v.id)).toEqual([]);

  await row.getByRole('button', { name: 'Send the full text' }).click();
  await expect(row.getByRole('button', { name: /Summary not used/ })).toBeVisible();
  await page.reload();
  await expect(row.getByRole('button', { name: 'Send the summary' })).toBeVisible();
  await sendMessage(page, 'Are you sure?');
  await expect(conversation.getByText('Still the mug.', { exact: true })).toBeVisible();
  expect(model.requests.at(-1)!.messages.map((m) => m.content)).toContain(goal);
});
