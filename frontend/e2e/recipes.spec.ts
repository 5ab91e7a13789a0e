import AxeBuilder from '@axe-core/playwright';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { conversation, sendMessage, Sextant, type Element } from './sextant';

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name, exact: true });

test('what was done in a conversation is kept as a recipe and runs with another value', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await panel(page, 'Recipes').click();
    await expect(page.getByRole('heading', { name: 'No recipes yet' })).toBeVisible();

    for (const text of ['open demo', 'search for Fen', 'click "Add to basket · Fen"']) {
      await sendMessage(page, text);
      await expect(conversation(page).getByRole('button', { name: 'Keep as recipe' })).toHaveCount(
        ['open demo', 'search for Fen', 'click "Add to basket · Fen"'].indexOf(text) + 1,
      );
    }
    await page.getByRole('button', { name: 'Conversation menu' }).click();
    await page.getByRole('menuitem', { name: 'Keep as recipe…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Keep as recipe' });
    await expect(dialog.getByRole('listitem')).toHaveText([
      /Open demo/,
      /Type “Search” into search field “Search” and press Enter/,
      /Click button “Add to basket · Search”.*“Basket \(1\)” appears/,
    ]);
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Add lamp');
    await expect(dialog.getByText('Lower-case letters, digits and hyphens.')).toBeVisible();
    await name.fill('add-lamp');
    await dialog.getByRole('textbox', { name: 'What it does' }).fill('Puts a lamp into the basket.');
    expect((await new AxeBuilder({ page }).include('[role=dialog]').analyze()).violations).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep as recipe' }).click();
    await page.getByRole('button', { name: 'Show it' }).click();

    const recipe = page.getByRole('region', { name: 'add-lamp' });
    await recipe.getByRole('textbox', { name: 'Search' }).fill('Moor');
    // The list of recipes is read again when the window gets the focus; what was typed stays.
    const read = page.waitForResponse((response) => response.url().endsWith('/api/recipes'));
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await read;
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await recipe.getByRole('button', { name: 'Run', exact: true }).click();
    // The page that it acts on is shown.
    await expect(page.getByText('/search?q=Moor', { exact: true })).toBeVisible({ timeout: 15_000 });
    await panel(page, 'Recipes').click();
    await expect(recipe.getByRole('button', { name: /Ran the recipe add-lamp/ })).toBeVisible();

    // A lamp that is sold out has another button, so the run ends before it acts on one that is only similar.
    await sendMessage(page, '/add-lamp search=Loam');
    await expect(recipe.getByRole('textbox', { name: 'Search' })).toHaveValue('Loam');
    await recipe.getByRole('button', { name: 'Run again' }).click();
    const notice = page.getByRole('region', { name: 'Notifications' });
    await expect(notice.getByText(/“Add to basket · Loam” is not on the page/)).toBeVisible({ timeout: 20_000 });
    await panel(page, 'Recipes').click();
    await expect(recipe.getByRole('button', { name: /stopped at step 3/ })).toBeVisible();

    // Step by step, and on with the rest.
    await recipe.getByRole('textbox', { name: 'Search' }).fill('Moor');
    await recipe.getByRole('button', { name: 'Start over' }).click();
    await expect(page.getByText('/search?q=Moor', { exact: true })).toBeVisible({ timeout: 15_000 });
    await panel(page, 'Recipes').click();
    await recipe.getByRole('button', { name: 'Step by step' }).click();
    await expect(recipe.getByText('1 of 3 steps are done. Step 2 is next.')).toBeVisible({ timeout: 15_000 });
    await recipe.getByRole('button', { name: 'Only step 2' }).click();
    await expect(recipe.getByText('2 of 3 steps are done. Step 3 is next.')).toBeVisible({ timeout: 15_000 });
    await recipe.getByRole('button', { name: 'Go on with step 3' }).click();
    await expect(recipe.getByRole('button', { name: /Ran the recipe add-lamp/ })).toBeVisible({ timeout: 15_000 });
    await expect(recipe.getByRole('button', { name: 'Run again' })).toBeVisible();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('lamp basket');
    await expect(page.getByRole('option', { name: /add-lamp/ }).first()).toBeVisible();
    await page.keyboard.press('Escape');

    await recipe.getByRole('button', { name: 'Edit' }).click();
    const more = async (n: number, item: string) => {
      await recipe.getByRole('button', { name: `More for step ${n}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await more(2, 'Move down');
    await expect(recipe.getByRole('listitem')).toHaveText([/^1 Open demo/, /^2 Click/, /^3 Type/]);
    await more(3, 'Move up');
    await more(2, 'Go on if it is not there');
    await more(2, 'Note');
    await recipe.getByRole('textbox', { name: 'Note on step 2' }).fill('The field is at the top.');
    await recipe.getByRole('button', { name: 'Remove step 3' }).click();
    await recipe.getByRole('textbox', { name: 'Text on the page' }).fill('never on it');
    await recipe.getByRole('button', { name: 'Read it' }).click();
    await expect(recipe.getByText('this text is not on the page that is open')).toBeVisible();
    await recipe.getByRole('textbox', { name: 'Text on the page' }).fill('64 €');
    await recipe.getByRole('textbox', { name: 'Name of the value' }).fill('Price');
    await recipe.getByRole('button', { name: 'Read it' }).click();
    await expect(recipe.getByRole('listitem')).toHaveText([/1/, /2/, /Read price: what follows “Moor”/]);
    await recipe.getByRole('button', { name: 'Save' }).click();
    await expect(recipe.getByRole('button', { name: 'Save' })).toBeHidden(); // it is stored
    const file = JSON.parse(await readFile(join(sextant.data, 'recipes/add-lamp/recipe.json'), 'utf8'));
    expect(file.steps[1]).toMatchObject({ tool: 'type_text', optional: true, note: 'The field is at the top.' });
    expect(file.steps[2].keep).toEqual([{ name: 'price', label: 'Moor', heading: 2 }]);
    await recipe.getByRole('button', { name: 'Run again' }).click();
    await expect(page.getByText('/search?q=Moor', { exact: true })).toBeVisible({ timeout: 15_000 });
    await panel(page, 'Recipes').click();
    await expect(recipe.getByText('64 €', { exact: true })).toBeVisible();

    await recipe.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('heading', { name: 'No recipes yet' })).toBeVisible();
  } finally {
    await sextant.stop();
  }
});

test('what a person does by hand is recorded and runs again', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'open demo');
    const picture = page.locator('canvas');
    await expect(picture).toHaveAttribute('aria-label', /Desk lamps/);
    await page.getByRole('button', { name: 'Record a recipe' }).click();
    await expect(page.getByRole('button', { name: 'Stop recording' })).toBeVisible();

    const press = async (name: string) => {
      const { elements } = (await sextant.mustExecute('annotate_page')).result as { elements: Element[] };
      const { box } = elements.find((element) => element.name === name)!;
      await picture.click({ position: { x: box.x + box.width / 2, y: box.y + box.height / 2 } });
    };
    await press('Search');
    await page.keyboard.type('Fen');
    await page.keyboard.press('Enter');
    await expect(page.getByText('/search?q=Fen', { exact: true })).toBeVisible();
    await press('Add to basket · Fen');
    await page.getByRole('button', { name: 'Stop recording' }).click();
    const dialog = page.getByRole('dialog', { name: 'Keep as recipe' });
    await expect(dialog.getByRole('listitem')).toHaveText([
      /Open http:\/\/demo.sextant.test\/lamps\/desk/,
      /Type “Search” into search field “Search”/,
      /Press Enter.*another page/,
      /Click button “Add to basket · Search”/,
    ]);
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('by-hand');
    await dialog.getByRole('button', { name: 'Keep as recipe' }).click();
    await expect(page.getByText('Saved the recipe by-hand.')).toBeVisible();
    const done = await sextant.mustExecute('recipe_by_hand', { search: 'Moor' });
    expect(done.result).toMatchObject({ status: 'done' });
    await expect(page.getByText('/search?q=Moor', { exact: true })).toBeVisible();
  } finally {
    await sextant.stop();
  }
});

test('another element is chosen for a step whose own is gone', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    const file = join(sextant.data, 'recipes/find-lamp/recipe.json');
    await mkdir(join(file, '..'), { recursive: true });
    const field = { role: 'searchbox', name: 'Find a lamp' };
    const recipe = {
      name: 'find-lamp',
      parameters: [{ name: 'lamp', default: 'Fen' }],
      steps: [
        { tool: 'navigate_page', args: { url: 'demo' } },
        {
          tool: 'type_text',
          args: { annotationId: field, text: '{{lamp}}', submit: true },
          expect: { event: 'navigated', url: 'http://demo.sextant.test/search' },
        },
      ],
    };
    await writeFile(file, JSON.stringify(recipe));
    await page.goto(sextant.window());
    await panel(page, 'Recipes').click();
    const view = page.getByRole('region', { name: 'find-lamp' });
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByText('search field “Find a lamp” is not on the page').first()).toBeVisible({
      timeout: 20_000,
    });
    await panel(page, 'Recipes').click();
    await view.getByRole('button', { name: 'Choose another element…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Element for step 2' });
    await expect(dialog.getByRole('textbox', { name: 'Words or a number' })).toBeFocused();
    await page.keyboard.type('search');
    expect((await new AxeBuilder({ page }).include('[role=dialog]').analyze()).violations).toEqual([]);
    await dialog.getByRole('button', { name: 'Click it on the page' }).click();
    const how = page.getByText('Click the element for step 2 of find-lamp. Esc cancels.');
    await expect(how).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(how).toHaveCount(0);
    await view.getByRole('button', { name: 'Choose another element…' }).click();
    await dialog.getByRole('button', { name: 'Click it on the page' }).click();
    await expect(how).toBeVisible();
    // The page scrolls meanwhile, and what comes into view can be picked.
    const picture = (await page.locator('canvas').boundingBox())!;
    const idOf = async (name: string) => {
      const { marks } = await sextant.api<{ marks: { elements: { id: number; name: string }[] } }>('GET', '/api/state');
      return marks.elements.find((element) => element.name === name)?.id ?? 0;
    };
    await page.mouse.move(picture.x + picture.width / 2, picture.y + picture.height / 2);
    await page.mouse.wheel(0, 4000);
    await expect.poll(() => idOf('Contact'), { timeout: 10_000 }).toBeGreaterThan(0);
    await page.mouse.wheel(0, -4000);
    await expect.poll(() => idOf('Search'), { timeout: 10_000 }).toBeGreaterThan(0);
    await expect(how).toBeVisible();
    const { elements } = (await sextant.mustExecute('annotate_page')).result as { elements: Element[] };
    const { box } = elements.find(({ name }) => name === 'Search')!;
    await page.mouse.click(picture.x + box.x + box.width / 2, picture.y + box.y + box.height / 2);
    await expect(view.getByRole('status').filter({ hasText: 'in place of search field “Find a lamp”' })).toBeVisible();
    expect(JSON.parse(await readFile(file, 'utf8')).steps[1].args.annotationId).toEqual(field);
    await view.getByRole('button', { name: 'Keep the change' }).click();
    const steps = view.getByRole('list', { name: 'Steps' });
    await expect(steps.getByText('into search field “Search” and press Enter')).toBeVisible();
    await expect(view.getByRole('button', { name: 'Keep the change' })).toHaveCount(0);

    // Sextant may have ended while the last step was done.
    const run = join(file, '../last-run.json');
    const ended = {
      ...JSON.parse(await readFile(run, 'utf8')),
      status: 'running',
      next: 2,
      uncertain: true,
      process: 'x',
    };
    await writeFile(run, JSON.stringify(ended));
    await panel(page, 'Notes').click();
    await panel(page, 'Recipes').click();
    await expect(view.getByText('Step 2 may have been done.')).toBeVisible();
    await view.getByRole('button', { name: 'It was done' }).click();
    await expect(view.getByText('Step 2 may have been done.')).toHaveCount(0);
    const kept = JSON.parse(await readFile(file, 'utf8')).steps[1];
    expect(kept).toMatchObject({ args: { annotationId: { name: 'Search' } }, expect: recipe.steps[1]!.expect });
  } finally {
    await sextant.stop();
  }
});
