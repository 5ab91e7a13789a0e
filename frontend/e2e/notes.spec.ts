import AxeBuilder from '@axe-core/playwright';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true });

test('a note is saved as a file, found and renamed, and nothing typed is lost', async ({ page }) => {
  let sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await panel(page, 'Notes').click();
    await expect(page.getByRole('heading', { name: 'No notes yet' })).toBeVisible();
    await page.getByRole('button', { name: 'New note' }).last().click();
    const text = page.getByRole('textbox', { name: /^Text of note/ });
    await text.click();
    await page.keyboard.type('# Windows\n\nA **second** window.\n');
    const file = join(sextant.data, 'notes/New note 1.md');
    await expect.poll(() => readFile(file, 'utf8')).toContain('A **second** window.');
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const name = page.getByRole('textbox', { name: 'Note name' });
    await name.fill('../out');
    await name.press('Enter');
    await expect(page.getByText(/holds one of|begins or ends with a dot/)).toBeVisible();
    await name.fill('Ideas');
    await name.press('Enter');
    await expect(page.getByRole('region', { name: 'Note Ideas' })).toBeVisible();
    const ideas = join(sextant.data, 'notes/Ideas.md');
    await expect.poll(() => readFile(ideas, 'utf8')).toContain('second');

    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await expect(
      page.getByRole('region', { name: 'Note Ideas' }).locator('strong').filter({ hasText: 'second' }),
    ).toBeVisible();

    // A change on disk is taken when nothing is unsaved; otherwise there is a banner.
    await writeFile(ideas, 'From elsewhere.\n');
    await expect(page.getByRole('region', { name: 'Note Ideas' })).toContainText('From elsewhere.');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await writeFile(ideas, 'Once more.\n');
    await text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('mine');
    const banner = page.getByText('This note was changed by another program.');
    await expect(banner.or(page.getByText('Once more.')).first()).toBeVisible();
    if (await banner.isVisible()) {
      expect(await readFile(ideas, 'utf8')).toBe('Once more.\n');
      await page.getByRole('button', { name: 'Keep mine' }).click();
    }
    await expect.poll(() => readFile(ideas, 'utf8')).toContain('mine');

    const dir = sextant.dir;
    await sextant.kill();
    sextant = await Sextant.start({ dir });
    await page.goto(sextant.window());
    await panel(page, 'Notes').click();
    await page.getByRole('textbox', { name: 'Search notes' }).fill('nowhere');
    await expect(page.getByText('No note contains all of these words.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Search notes' }).fill('MINE');
    await page.getByRole('button', { name: /^Ideas/ }).click();
    await expect(page.getByRole('region', { name: 'Note Ideas' })).toContainText('mine');
    const { violations } = await new AxeBuilder({ page }).include('[data-region=stage]').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);

    await page.getByRole('button', { name: 'Move to trash' }).click();
    await expect(page.getByRole('region', { name: 'Note Ideas' })).toHaveCount(0);
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('region', { name: 'Note Ideas' })).toContainText('mine');
  } finally {
    await sextant.stop();
  }
});

test('a link in a note opens in the browser panel, not in the window', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await mkdir(join(sextant.data, 'notes'), { recursive: true });
    await writeFile(join(sextant.data, 'notes/Links.md'), 'See [the page](http://127.0.0.1:9/there).\n');
    await page.goto(sextant.window());
    await panel(page, 'Notes').click();
    await page.getByRole('button', { name: /^Links/ }).click();
    const window = new URL(page.url()).origin;
    await page.getByRole('link', { name: 'the page' }).click();
    await expect(page.getByRole('main', { name: 'Browser' })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(window);
  } finally {
    await sextant.stop();
  }
});
