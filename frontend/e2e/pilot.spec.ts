import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Sextant, sendMessage } from './sextant';

let sextant: Sextant;

test.beforeEach(async () => {
  sextant = await Sextant.start();
});
test.afterEach(async () => {
  await sextant.stop();
});

test('commands are completed with names from the page and from the workspace', async ({ page }) => {
  await writeFile(join(sextant.work, 'notes.txt'), 'buy tea\n');
  await sextant.mustExecute('navigate_page', { url: 'demo' });
  await page.goto(sextant.window());
  const box = page.locator('textarea[aria-label="Message to the assistant"]');
  const list = page.getByRole('listbox', { name: 'Commands' });
  await box.click();
  await page.keyboard.type('cli');
  await expect(list.getByRole('option').first()).toContainText('click NUMBER');
  const wrong = await new AxeBuilder({ page }).include('.composer').analyze();
  expect(wrong.violations).toEqual([]);
  await page.keyboard.press('Tab');
  await expect(box).toHaveValue('click ');
  await expect(page.locator('.ghost-text')).toContainText('NUMBER');

  await page.keyboard.type('deliv');
  const named = list.getByRole('option', { name: /Delivery postcode/ });
  await expect(named).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(named).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(box).toHaveValue(/^click \d+$/);
  expect(await sextant.turnsOver()).toBe(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => sextant.turnsOver(), { timeout: 20_000 }).toBe(1);

  await box.fill('read no');
  await expect(list.getByRole('option', { name: /notes\.txt/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await box.fill('');
  await page.keyboard.press('ArrowUp');
  await expect(box).toHaveValue(/^click \d+$/);
  await page.keyboard.press('ArrowDown');
  await expect(box).toHaveValue('');

  await box.fill('/click_el');
  await page.keyboard.press('End');
  await expect(list.getByRole('option', { name: /click_element/ })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(box).toHaveValue('/click_element {"annotationId": }');
  await page.keyboard.type('7');
  await expect(box).toHaveValue('/click_element {"annotationId": 7}');
});

test('a misspelt command gets a suggestion that the person can send', async ({ page }) => {
  await page.goto(sextant.window());
  await sendMessage(page, 'opne demo');
  const answer = page.getByRole('article').filter({ hasText: 'Did you mean' });
  await expect(answer).toContainText('built-in command pilot');
  await expect(answer).toContainText('connect a model, open Home');
  await expect(answer.locator('.outside')).toHaveCount(0);
  await answer.getByRole('group', { name: 'Did you mean' }).getByRole('button', { name: 'open demo' }).click();
  const box = page.locator('textarea[aria-label="Message to the assistant"]');
  await expect(box).toHaveValue('open demo');
  await expect(box).toBeFocused();
  expect(await sextant.turnsOver()).toBe(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => sextant.turnsOver(), { timeout: 20_000 }).toBe(2);

  await sendMessage(page, 'click add to basket');
  const named = page.getByRole('article').filter({ hasText: 'are called “add to basket”' }).last();
  await expect(named.getByRole('button', { name: /^click \d+/ }).nth(2)).toBeVisible();
  await expect(named.locator('.outside')).toContainText('demo.sextant.test');

  await sendMessage(page, 'add the fen lamp to the basket');
  await expect(page.getByText(/Fen is in your basket/).first()).toBeVisible({ timeout: 20_000 });
  await sendMessage(page, 'fill the postcode with 1234');
  await expect(page.getByText('Typed "1234" into').first()).toBeVisible({ timeout: 20_000 });
  await sendMessage(page, 'click contact'); // out of view
  await expect(page.getByRole('button', { name: /^Clicked “Contact”/ })).toBeVisible({ timeout: 20_000 });
  await sendMessage(page, 'show my bookmarks');
  await expect(page.getByText('No bookmarks yet.').first()).toBeVisible({ timeout: 20_000 });
});
