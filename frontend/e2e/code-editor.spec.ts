import AxeBuilder from '@axe-core/playwright';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { sendMessage, Sextant, conversation } from './sextant';

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true });
const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name });
const text = (page: Page, name: string) => page.getByRole('textbox', { name: `Text of ${name}` });

async function open(page: Page, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Open a file' }).first().click();
  const box = page.getByRole('combobox', { name: 'Open a file' });
  await box.fill(words);
  await expect(page.getByRole('option').first()).toContainText(words);
  await box.press('Enter');
}

test('a file can be opened, edited, saved and compared, and unsaved text survives a crash', async ({ page }) => {
  let sextant = await Sextant.start();
  try {
    const file = join(sextant.work, 'plan.md');
    await writeFile(file, '# Plan\n\none\n');
    await writeFile(join(sextant.work, 'main.go'), 'package main\n\nfunc main() {\n\tprintln("one")\n}\n');
    await writeFile(join(sextant.work, 'pic.bin'), Buffer.from([0, 1, 2, 3]));
    await page.goto(sextant.window());
    await panel(page, 'Code editor').click();
    await expect(page.getByRole('heading', { name: 'No file is open' })).toBeVisible();
    await open(page, 'plan.md');
    await text(page, 'plan.md').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('two\n');
    await expect(tab(page, 'plan.md, unsaved')).toBeVisible();
    await page.keyboard.press('Control+s');
    await expect(tab(page, /^plan.md$/)).toBeVisible();
    expect(await readFile(file, 'utf8')).toBe('# Plan\n\none\ntwo\n');

    // With nothing unsaved, a change on disk shows at once.
    await writeFile(file, '# Plan\n\nfrom elsewhere\n');
    await expect(text(page, 'plan.md')).toContainText('from elsewhere');

    // With unsaved text there is a banner, and neither version is lost.
    await text(page, 'plan.md').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('mine\n');
    await writeFile(file, '# Plan\n\nfrom elsewhere again\n');
    const banner = page.getByText('plan.md was changed by another program. Your text is still here.');
    await expect(banner).toBeVisible();
    await text(page, 'plan.md').click();
    await page.keyboard.press('Control+s');
    await expect(banner).toBeVisible();
    expect(await readFile(file, 'utf8')).toBe('# Plan\n\nfrom elsewhere again\n');
    await page.getByRole('button', { name: 'Show changes' }).last().click();
    const both = page.getByRole('region', { name: 'Changes in plan.md' });
    await expect(both).toContainText('from elsewhere again');
    await expect(both).toContainText('mine');
    const { violations } = await new AxeBuilder({ page }).include('[data-region=stage]').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect(banner).toBeHidden();
    await expect.poll(() => readFile(file, 'utf8')).toBe('# Plan\n\nfrom elsewhere\nmine\n');

    // Another panel and a crash in between lose nothing.
    await open(page, 'main.go');
    await text(page, 'main.go').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('// not saved');
    await panel(page, 'Home').click();
    await panel(page, 'Code editor').click();
    await expect(text(page, 'main.go')).toContainText('// not saved');
    await expect.poll(() => readFile(join(sextant.data, 'editor/state.json'), 'utf8')).toContain('main.go');
    const dir = sextant.dir;
    await sextant.kill();
    sextant = await Sextant.start({ dir });
    await page.goto(sextant.window());
    await panel(page, 'Code editor').click();
    await expect(tab(page, 'main.go, unsaved')).toHaveAttribute('aria-selected', 'true');
    await expect(text(page, 'main.go')).toContainText('// not saved');
    await expect(tab(page, /^plan.md$/)).toBeVisible();
    expect(await readFile(join(sextant.work, 'main.go'), 'utf8')).not.toContain('not saved');

    // A binary file is refused with a message; search finds lines across files.
    await open(page, 'pic.bin');
    await expect(page.getByRole('heading', { name: 'pic.bin cannot be edited here' })).toBeVisible();
    await page.keyboard.press('Control+Shift+f');
    await page.getByRole('textbox', { name: 'Search the files' }).fill('ELSEWHERE');
    await page.keyboard.press('Enter');
    await expect(page.getByText('1 line in 1 file')).toBeVisible();
    await page.getByRole('button', { name: /3 from elsewhere/ }).click();
    await expect(tab(page, /^plan.md$/)).toHaveAttribute('aria-selected', 'true');

    await tab(page, 'main.go, unsaved').click();
    await page.getByRole('button', { name: 'Close main.go', includeHidden: true }).click();
    await page.getByRole('button', { name: 'Save and close' }).click();
    await expect(tab(page, /main.go/)).toHaveCount(0);
    await expect.poll(() => readFile(join(sextant.work, 'main.go'), 'utf8')).toContain('// not saved');
    const last = await new AxeBuilder({ page }).include('[data-region=stage]').analyze();
    expect(last.violations.map((v) => v.id)).toEqual([]);
  } finally {
    await sextant.stop();
  }
});

test('what the assistant opens and saves shows at once and never replaces unsaved text', async ({ page }) => {
  const model = await ModelServer.start([
    { calls: [{ name: 'editor_open_file', args: { path: 'plan.md' } }] },
    { calls: [{ name: 'editor_save_file', args: { filePath: 'plan.md', content: 'by the assistant\n' } }] },
    { text: 'Done.' },
    { calls: [{ name: 'editor_save_file', args: { content: 'over yours\n' } }] },
    { text: 'Not written.' },
  ]);
  const env = {
    SEXTANT_OPENAI_BASE_URL: model.url,
    SEXTANT_OPENAI_API_KEY: 'k',
    SEXTANT_MODEL: 'openai/test-model',
    SEXTANT_MODE: 'workspace',
  };
  const sextant = await Sextant.start({ env });
  try {
    await writeFile(join(sextant.work, 'plan.md'), 'as it was\n');
    await page.goto(sextant.window());
    await panel(page, 'Code editor').click();
    await sendMessage(page, 'write the plan');
    await expect(conversation(page)).toContainText('Done.');
    await expect(text(page, 'plan.md')).toContainText('by the assistant');
    await text(page, 'plan.md').click();
    const saved = page.waitForResponse((answer) => answer.url().includes('/api/workspace/editor/draft'));
    await page.keyboard.type('mine ');
    await expect(tab(page, 'plan.md, unsaved')).toBeVisible();
    await saved;
    await sendMessage(page, 'again');
    await expect(conversation(page)).toContainText('Not written.');
    await expect(conversation(page)).toContainText('has unsaved changes in the editor');
    expect(await readFile(join(sextant.work, 'plan.md'), 'utf8')).toBe('by the assistant\n');
    await expect(text(page, 'plan.md')).toContainText('mine');
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
