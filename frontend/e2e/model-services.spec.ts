import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
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
    await dialog.getByLabel('Address').fill('http://127.0.0.1:1/v1');
    await dialog.getByLabel('Key').fill('k');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toContainText('nothing listens at http://127.0.0.1:1/v1');
    await expect(home.getByRole('button', { name: 'OpenAI-compatible: Connect' })).toBeAttached();
    await dialog.getByLabel('Address').fill(model.url);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toContainText('Connected. 1 model can be used.');
    await dialog.getByRole('button', { name: 'Use test-model' }).click();
    await expect(dialog).toBeHidden();
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

test('models are searched, made favorites and used, and the count is the same everywhere', async ({ page }) => {
  const model = await ModelServer.start([{ text: 'Here I am.' }]);
  model.models = Array.from({ length: 2000 }, (_, i) => `model-${i}`);
  const { SEXTANT_MODEL: _, ...env } = model.env;
  const dir = await mkdtemp(join(tmpdir(), 'sextant-models-'));
  let sextant = await Sextant.start({ dir, env });
  const all = 'All 2000 models…';
  try {
    await page.goto(sextant.window());
    const home = page.getByRole('main', { name: 'Home' });
    await expect(home).toContainText('2000 models');
    await page.getByRole('button', { name: /^Model: / }).click();
    await page.getByRole('menuitem', { name: all }).click();

    await expect(page.getByRole('status').filter({ hasText: /^2000 models$/ })).toBeVisible();
    await page.getByRole('textbox', { name: 'Search models' }).fill('openai 1999');
    await expect(page.getByText('1 of 2000')).toBeVisible();
    await page.getByRole('button', { name: 'Make model-1999 a favorite' }).click();
    await expect(page.getByRole('button', { name: 'Remove model-1999 from the favorites' })).toBeVisible();
    await page.getByRole('button', { name: 'Use model-1999' }).click();
    await expect(page.getByText('in use')).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: test.info().outputPath(`models-${colorScheme}.png`) });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
    }

    await sextant.stop();
    sextant = await Sextant.start({ dir, env });
    await page.goto(sextant.window());
    await page.getByRole('button', { name: 'Model: model-1999' }).click();
    await expect(page.getByRole('menuitem').first()).toContainText('model-1999');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Models', exact: true }).click();
    await page.getByRole('textbox', { name: 'Search models' }).fill('nothing like it');
    await expect(page.getByText('No model is called “nothing like it”.')).toBeVisible();
  } finally {
    await sextant.stop();
    await rm(dir, { recursive: true, force: true });
    await model.stop();
  }
});
