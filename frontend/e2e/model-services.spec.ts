import { expect, test } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

test('a model service can be connected by its address, used and disconnected', async ({ page }) => {
  const model = await ModelServer.start([{ text: 'Here I am.' }]);
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    const home = page.getByRole('main', { name: 'Home' });
    await home.getByRole('button', { name: 'Anthropic: Connect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toContainText('Enter a key.');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await home.getByRole('button', { name: 'OpenAI-compatible: Connect' }).click();
    await dialog.getByLabel('Address').fill('nowhere');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toContainText('Enter a full address');
    await dialog.getByLabel('Address').fill(model.url);
    await dialog.getByLabel('Key').fill('k');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toBeHidden();
    await home.getByRole('button', { name: 'Use', exact: true }).click();
    await expect(home.getByText('in use')).toBeVisible();
    await sendMessage(page, 'Are you there?');
    await expect(page.getByRole('region', { name: 'Conversation', exact: true })).toContainText('Here I am.');

    await home.getByRole('button', { name: 'OpenAI-compatible: Change' }).click();
    await expect(dialog.getByLabel('Key')).toHaveAttribute('placeholder', /A key is set/);
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await expect(home.getByRole('button', { name: 'OpenAI-compatible: Connect' })).toBeVisible();
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
