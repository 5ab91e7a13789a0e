import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';
let sextant: Sextant;
test.beforeEach(async () => { sextant = await Sextant.start(); });
test.afterEach(() => sextant.stop());
async function open(page: Page) {
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /Settings/ }).click();
  await page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('button', { name: /Secrets/ }).click();
}
for (const scheme of ['dark', 'light'] as const) test('look ' + scheme, async ({ page }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(sextant.window());
  await open(page);
  await expect(page.getByText('No secrets yet.')).toBeVisible();
  await page.screenshot({ path: `/tmp/h2-${scheme}-empty.png` });
  await page.getByRole('button', { name: 'Add a secret' }).click();
  await page.getByLabel('Name').fill('github');
  await page.getByLabel('Host').fill('api.github.com');
  await page.getByLabel('Value').fill('ghp_0123456789abcdefghij');
  await page.screenshot({ path: `/tmp/h2-${scheme}-form.png` });
  await page.getByRole('button', { name: 'Keep secret' }).click();
  await expect(page.getByText('{{secret:github}}')).toBeVisible();
  await page.getByRole('button', { name: 'Replace github' }).click();
  await expect(page.getByLabel('Value')).toHaveValue('');
  await page.getByLabel('Value').fill('abc');
  await page.getByLabel('Value').press('Enter');
  await page.waitForTimeout(500);
  await page.screenshot({ path: `/tmp/h2-${scheme}-wrong.png` });
  await page.keyboard.press('Escape');
  await page.screenshot({ path: `/tmp/h2-${scheme}-list.png` });
  await page.getByRole('button', { name: 'Delete github' }).click();
  await page.screenshot({ path: `/tmp/h2-${scheme}-delete.png` });
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No secrets yet.')).toBeVisible();
});
