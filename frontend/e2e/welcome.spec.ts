// The first steps on Home: a folder, a model or none, and the demo.
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

let sextant: Sextant;
test.beforeEach(async ({ page }) => {
  sextant = await Sextant.start();
  await page.goto(sextant.window());
});
test.afterEach(() => sextant.stop());

test('first steps are shown until there was a conversation', async ({ page }) => {
  const home = page.getByRole('main', { name: 'Home' });
  const steps = home.getByRole('region', { name: 'Welcome to Sextant' });
  await expect(steps.getByRole('listitem')).toHaveCount(3);
  await steps.getByRole('button', { name: 'Choose another…' }).click();
  await expect(page.getByRole('dialog', { name: 'Open a folder' })).toBeVisible();
  await page.keyboard.press('Escape');
  await steps.getByRole('button', { name: 'Open the demo shop' }).click();
  await expect(page.getByText('Opened “Desk lamps')).toBeVisible();

  await page.getByRole('button', { name: 'Conversation menu' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'open demo' })).toHaveCount(0);
  await page.reload();
  await page.getByRole('button', { name: 'Home' }).first().click();
  await expect(home.getByRole('heading', { name: 'Ready to use, with nothing to set up.' })).toBeVisible();
  await expect(steps).toHaveCount(0);
});

test('first steps can be skipped for good', async ({ page }) => {
  const skip = page.getByRole('button', { name: 'Skip the first steps' });
  const saved = page.waitForResponse((response) => response.url().includes('view.welcome'));
  await skip.click();
  await saved;
  await expect(skip).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Ready to use, with nothing to set up.' })).toBeVisible();
});
