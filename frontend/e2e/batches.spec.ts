import AxeBuilder from '@axe-core/playwright';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

test('a recipe runs for each row of a table, and rows that failed run again', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    const file = join(sextant.data, 'recipes/find-lamp/recipe.json');
    const recipe = {
      name: 'find-lamp',
      parameters: [{ name: 'lamp' }, { name: 'words' }],
      steps: [
        { tool: 'navigate_page', args: { url: 'demo' } },
        {
          tool: 'type_text',
          args: { annotationId: { role: 'searchbox', name: 'Search' }, text: '{{lamp}}', submit: true },
          expect: { event: 'navigated', url: 'http://demo.sextant.test/search' },
        },
        { tool: 'get_page_content', args: {}, keep: [{ name: 'found', label: '{{words}}', until: '.' }] },
      ],
    };
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, JSON.stringify(recipe));
    await page.goto(sextant.window());
    await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Recipes' }).click();
    await page.getByRole('button', { name: 'For each row of a table…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run find-lamp for each row of a table' });
    const add = (text: string) =>
      dialog
        .getByLabel('Table')
        .setInputFiles({ name: 'lamps.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
        .then(() => dialog.getByRole('button', { name: 'Show what it needs' }).click());
    await add('Lamp\nMoos\n');
    await expect(dialog.getByRole('alert')).toContainText('The recipe needs words, and no column has this name.');
    await dialog.getByRole('spinbutton', { name: 'Browsers at once' }).fill('2');
    expect((await new AxeBuilder({ page }).include('[role=dialog]').analyze()).violations).toEqual([]);
    await add('Lamp;Words\nMoos;0 results for\nOaks;0 results for\nLost;never there\nNone;3 results for\n');

    const view = page.getByRole('region', { name: 'lamps' });
    await expect(view.getByText('demo.sextant.test')).toBeVisible();
    await expect(view.getByText('Navigate page, Type text')).toBeVisible();
    await view.getByRole('button', { name: 'Allow this and start' }).click();
    // Row 4 waits for words that its page does not have, until a person searches for another lamp there.
    await expect(view.getByRole('img', { name: 'The page of row 4' })).toBeVisible();
    await view.getByRole('button', { name: 'Take over row 4' }).click();
    const taken = page.getByRole('dialog', { name: 'Row 4 is yours' });
    const picture = taken.getByRole('img', { name: 'Page of row 4. Click and type on it.' });
    await expect(taken.getByLabel('The page of the row')).toHaveCount(0);
    expect((await new AxeBuilder({ page }).include('[role=dialog]').analyze()).violations).toEqual([]);
    const box = await picture.boundingBox();
    if (!box) throw new Error('the page of the row is not shown');
    await picture.click({ position: { x: (1055 / 1280) * box.width, y: (28 / 800) * box.height } });
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Moor');
    await page.keyboard.press('Enter');
    await expect(view.getByRole('img', { name: 'The page of row 3' })).toHaveCount(0, { timeout: 30_000 });
    await taken.getByRole('button', { name: 'Give back' }).click();
    await expect(view.getByText('3 of 4 done')).toBeVisible({ timeout: 30_000 });
    const rows = view.getByRole('row');
    await expect(rows.nth(1)).toContainText(/done.*Moos.*“Moos”/);
    await expect(rows.nth(4)).toContainText(/done.*None.*“Moor”/);
    await expect(rows.nth(3)).toContainText('The page does not have what follows “never there”.');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

    await view.getByRole('radio', { name: 'failed 1' }).click();
    await expect(rows).toHaveCount(2);
    await view.getByRole('button', { name: 'Run 1 again' }).click();
    const question = page.getByRole('alertdialog', { name: 'Run rows again that had acted?' });
    await question.getByRole('button', { name: 'Run again' }).click();
    await expect(view.getByRole('button', { name: 'Stop' })).toBeVisible();
    await expect(view.getByText('tried 2 times')).toBeVisible({ timeout: 30_000 });

    const saving = page.waitForEvent('download');
    await view.getByRole('button', { name: 'Save the table with results' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('lamps-results.csv');
    expect(await readFile(await saved.path(), 'utf8')).toBe(
      'Lamp,Words,found,status,reason\nMoos,0 results for,“Moos”,done,\nOaks,0 results for,“Oaks”,done,\n' +
        'Lost,never there,,failed,the page does not have what follows “never there”.\n' +
        'None,3 results for,“Moor”,done,\n',
    );
    await view.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('region', { name: 'find-lamp' })).toBeVisible();
    await expect(page.getByText('Batch runs')).toHaveCount(0);
  } finally {
    await sextant.stop();
  }
});
