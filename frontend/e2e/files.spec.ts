import AxeBuilder from '@axe-core/playwright';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true });
const leaf = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });
const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test('the file tree works with keys, follows changes on disk and restores deleted files', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await mkdir(join(sextant.work, 'docs/deep'), { recursive: true });
    await writeFile(
      join(sextant.work, 'docs/plan.md'),
      '# A plan\n\n- **bold** thing\n\n<img src=x onerror=alert(1)>\n',
    );
    await writeFile(join(sextant.work, 'a.txt'), 'some text\n');
    await writeFile(join(sextant.work, '.hidden'), 'h');
    await page.goto(sextant.window());
    await panel(page, 'Files').click();
    const tree = page.getByRole('tree', { name: 'Workspace files' });
    await expect(leaf(page, 'docs')).toBeVisible();
    await expect(leaf(page, '.hidden')).toHaveCount(0);
    await tree.focus();
    for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key);
    await expect(leaf(page, 'plan.md')).toBeVisible();
    for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    await expect(leaf(page, 'plan.md')).toHaveAttribute('aria-selected', 'true');
    const preview = page.getByRole('region', { name: 'Preview of plan.md' });
    await expect(preview).toContainText('bold thing');
    await expect(preview.locator('img')).toHaveCount(0);

    // A change on disk shows at once.
    await writeFile(join(sextant.work, 'docs/new.txt'), 'n');
    await expect(leaf(page, 'new.txt')).toBeVisible();

    await tree.focus();
    await page.keyboard.press('F2');
    const name = page.getByRole('textbox', { name: 'Path' });
    await expect(name).toHaveValue('docs/plan.md');
    await page.keyboard.type('ideas');
    await page.keyboard.press('Enter');
    await expect(leaf(page, 'ideas.md')).toHaveAttribute('aria-selected', 'true');
    expect(await there(join(sextant.work, 'docs/ideas.md'))).toBe(true);
    await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
    await expect(leaf(page, 'plan.md')).toHaveAttribute('aria-selected', 'true');

    // Renaming never overwrites a file; the message is beside the name.
    await tree.focus();
    await page.keyboard.press('F2');
    await name.fill('a.txt');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/a.txt exists already/)).toBeVisible();
    await page.keyboard.press('Escape');
    expect(await readFile(join(sextant.work, 'a.txt'), 'utf8')).toBe('some text\n');

    await leaf(page, 'docs').click();
    await tree.focus();
    await page.keyboard.press('Delete');
    await expect(leaf(page, 'docs')).toHaveCount(0);
    expect(await there(join(sextant.work, 'docs'))).toBe(false);
    await page.getByRole('button', { name: 'Trash', exact: true }).click();
    await page.getByRole('button', { name: 'Restore docs' }).click();
    await expect(page.getByText('The trash is empty.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(leaf(page, 'docs')).toBeVisible();
    expect(await there(join(sextant.work, 'docs/plan.md'))).toBe(true);

    await page.getByRole('button', { name: 'New file' }).click();
    await name.fill('src/main.go');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('textbox', { name: 'Text of main.go' })).toBeVisible();
    await panel(page, 'Files').click();
    await expect(leaf(page, 'main.go')).toBeVisible();
    await leaf(page, 'a.txt').click();
    await expect(page.getByRole('region', { name: 'Preview of a.txt' })).toContainText('some text');
    const { violations } = await new AxeBuilder({ page }).include('[data-region=stage]').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);
  } finally {
    await sextant.stop();
  }
});

test('another folder is opened from the status bar by keyboard, and the last one by a click', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    const other = join(sextant.dir, 'lamps');
    await mkdir(join(other, 'shades'), { recursive: true });
    await writeFile(join(other, 'brass.txt'), 'brass\n');
    await writeFile(join(sextant.work, 'first.txt'), 'first\n');
    await page.goto(sextant.window());
    await panel(page, 'Files').click();
    await expect(leaf(page, 'first.txt')).toBeVisible();
    const folder = page.getByRole('button', { name: /^Folder: / });
    await folder.click();
    const dialog = page.getByRole('dialog', { name: 'Open a folder' });
    const path = dialog.getByRole('textbox', { name: 'Folder to work in' });
    await expect(path).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`${sextant.dir}/lam`);
    await dialog.getByRole('button', { name: 'lamps', exact: true }).click();
    await expect(dialog.getByRole('button', { name: 'shades' })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    await path.press('End');
    await page.keyboard.type('nothing');
    await page.keyboard.press('Enter');
    await expect(dialog).toContainText('There is no folder');
    for (let i = 0; i < 'nothing'.length; i++) await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(leaf(page, 'brass.txt')).toBeVisible();
    await expect(leaf(page, 'first.txt')).toHaveCount(0);
    await expect(folder).toHaveAccessibleName(`Folder: ${other}`);

    await page.keyboard.press('Control+o');
    await dialog.getByRole('button', { name: /^work/ }).click();
    await expect(leaf(page, 'first.txt')).toBeVisible();
  } finally {
    await sextant.stop();
  }
});
