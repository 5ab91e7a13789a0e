import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { bin, sendMessage, Sextant, conversation } from './sextant';

const examples = join(import.meta.dirname, '../../docs/examples');
const bar = (page: Page) => page.getByRole('navigation', { name: 'Panels' });

interface Manifest {
  title: string;
  backend?: unknown;
  tools: { name: string; endpoint: string }[];
}

test('every example panel can be added, edited, broken and deleted while the window is open', async ({ page }) => {
  test.setTimeout(120_000);
  const sextant = await Sextant.start();
  const known = async (id: string) =>
    (await sextant.api<{ panels: { id: string; tools: string[] }[] }>('GET', '/api/panels')).panels.find(
      (panel) => panel.id === id,
    );
  try {
    await page.goto(sextant.window());
    await expect(bar(page)).toBeVisible();
    for (const example of await readdir(examples)) {
      const folder = join(sextant.data, 'panels', example);
      const file = join(folder, 'manifest.json');
      const manifest = JSON.parse(await readFile(join(examples, example, 'manifest.json'), 'utf8')) as Manifest;
      const entry = bar(page).getByRole('button', { name: new RegExp(`^${manifest.title}`) });

      let began = Date.now();
      await cp(join(examples, example), folder, { recursive: true });
      await expect(entry).toBeVisible();
      const there = Date.now() - began;
      await entry.click();
      await expect(page.getByRole('heading', { name: manifest.title, level: 2 })).toBeVisible();
      await expect(page.getByRole('region', { name: 'Problems' })).toHaveCount(0);

      // Add a tool, or change the title of a panel without tools.
      const edited = structuredClone(manifest);
      // Only a tool that reads: any other would wait for approval.
      const first = edited.tools.find((tool) => tool.endpoint.startsWith('GET '));
      if (first && edited.backend) edited.tools.unshift({ ...first, name: `${first.name}_again` });
      else edited.title = `${manifest.title} 2`;
      began = Date.now();
      await writeFile(file, JSON.stringify(edited, null, 2));
      if (first && edited.backend) {
        await expect
          .poll(async () => (await known(example))?.tools, { intervals: [20] })
          .toContain(edited.tools[0]!.name);
      } else await expect(bar(page).getByRole('button', { name: new RegExp(`^${edited.title}`) })).toBeVisible();
      const changed = Date.now() - began;

      // A broken manifest is reported with a fix, and the last good one keeps running.
      await writeFile(file, JSON.stringify(edited, null, 2).replace('"panel_type"', '"panel_tpye"'));
      const problems = page.getByRole('region', { name: 'Problems' });
      await expect(problems.getByText(/the last good .*keeps running/i)).toBeVisible();
      await expect(problems.getByText(/^"panel_type": /).first()).toBeVisible();
      expect((await known(example))?.tools).toEqual(edited.backend ? edited.tools.map((tool) => tool.name) : []);

      began = Date.now();
      await rm(folder, { recursive: true });
      await expect(entry).toHaveCount(0);
      process.stdout.write(
        `${example}: listed after ${there} ms, changed after ${changed} ms, removed after ${Date.now() - began} ms\n`,
      );
    }
  } finally {
    await sextant.stop();
  }
});

test('a panel made by the pilot can be packed and installed elsewhere after its rights were shown', async ({
  page,
}) => {
  const sextant = await Sextant.start();
  const other = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'make panel shopping-list');
    const ask = page.getByRole('alertdialog').filter({ hasText: 'shopping-list' }).first();
    await expect(ask).toContainText('backend.js');
    await ask.getByRole('button', { name: 'Allow once' }).click();
    await expect(conversation(page)).toContainText('Shopping list');
    const stage = page.getByRole('main');
    await stage.getByRole('textbox').first().fill('Oat milk');
    await page.keyboard.press('Enter');
    await expect(stage.getByRole('checkbox', { name: 'Oat milk' })).toBeVisible();

    const file = join(sextant.work, 'shopping-list.sextant-panel');
    await promisify(execFile)(bin, ['panels', 'pack', 'shopping-list', '--out', file, '--data', sextant.data]);

    await page.goto(other.window());
    await bar(page).getByRole('button', { name: /^Home/ }).click();
    await page.getByLabel('Panel file').setInputFiles(file);
    const dialog = page.getByRole('dialog', { name: 'Install Shopping list?' });
    await expect(dialog).toContainText('shopping_list_add');
    await expect(dialog).toContainText('script “backend.js”');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    await dialog.getByRole('button', { name: 'Install' }).click();
    await expect(page.getByRole('heading', { name: 'Shopping list', level: 2 })).toBeVisible();

    // A file that is no panel gets the message of `panels validate`.
    const broken = join(other.work, 'broken');
    await mkdir(broken);
    await writeFile(join(broken, 'manifest.json'), 'no zip');
    await bar(page).getByRole('button', { name: /^Home/ }).click();
    await page.getByLabel('Panel file').setInputFiles(join(broken, 'manifest.json'));
    await expect(page.getByRole('dialog', { name: 'Cannot be installed' })).toContainText('it is not a zip archive');
  } finally {
    await sextant.stop();
    await other.stop();
  }
});

test('a panel’s evals run from a button, and a failure says why', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await mkdir(join(sextant.data, 'panels'), { recursive: true });
    await cp(join(examples, 'habits'), join(sextant.data, 'panels', 'habits'), { recursive: true });
    await page.goto(sextant.window());
    await bar(page)
      .getByRole('button', { name: /^Habits/ })
      .click();
    await page.getByRole('radio', { name: 'Tools' }).click();
    const evals = page.getByRole('region', { name: 'Evals' });
    await evals.getByRole('button', { name: 'Run all' }).click();
    // The last call is destructive, so it asks like any other.
    const ask = page.getByRole('alertdialog').filter({ hasText: 'habits remove' }).first();
    await ask.getByRole('button', { name: 'Allow once' }).click();
    await expect(evals.getByRole('status')).toHaveText('4 of 4 passed');

    const file = join(sextant.data, 'panels', 'habits', 'manifest.json');
    const text = await readFile(file, 'utf8');
    const other = text.replace('"contains": ["Only for trying"]', '"contains": ["nobody wrote this"]');
    await writeFile(file, other.replace('"title": "Habits"', '"title": "Habits 2"'));
    await expect(bar(page).getByRole('button', { name: /^Habits 2/ })).toBeVisible();
    await evals.getByRole('button', { name: 'Run again' }).click();
    await ask.getByRole('button', { name: 'Allow once' }).click();
    await expect(evals.getByRole('status')).toHaveText('3 of 4 passed');
    await expect(evals.getByText('the answer does not contain "nobody wrote this"')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
  } finally {
    await sextant.stop();
  }
});
