import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

const examples = join(import.meta.dirname, '../../docs/examples');
const sample = 'reading-list';

test('a panel folder appears in the running window with its tools', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await expect(page.getByRole('navigation', { name: 'Panels' })).toBeVisible();
    const folder = join(sextant.data, 'panels');
    await mkdir(folder, { recursive: true });
    await cp(join(examples, sample), join(folder, sample), { recursive: true });
    const button = page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /Reading list/ });
    await expect(button).toBeVisible();
    await button.click();
    const origins = async () =>
      (await sextant.api<{ tool_origins: Record<string, string> }>('GET', '/api/ai/tools/discover')).tool_origins;
    await expect
      .poll(async () => Object.values(await origins()).filter((o) => o === 'panel').length)
      .toBeGreaterThan(0);
    await rm(join(folder, sample), { recursive: true });
    await expect(button).toBeHidden();
  } finally {
    await sextant.stop();
  }
});

test('a declarative page is drawn, its forms call the panel’s tools, and edits show at once', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    const bar = page.getByRole('navigation', { name: 'Panels' });
    await expect(bar).toBeVisible();
    const folder = join(sextant.data, 'panels', 'habits');
    await cp(join(examples, 'habits'), folder, { recursive: true });
    await bar.getByRole('button', { name: /Habits/ }).click();
    const stage = page.getByRole('region', { name: 'Habits' });
    await expect(stage.getByText('No habits yet', { exact: false })).toBeVisible();
    await stage.getByRole('textbox', { name: 'Name' }).fill('<b>Walk</b>');
    await stage.getByRole('textbox', { name: 'Name' }).press('Enter');
    await stage.getByRole('checkbox', { name: '<b>Walk</b>' }).check();
    await expect(stage.getByText('1 of 1 done', { exact: false })).toBeVisible();

    const file = join(folder, 'page.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"Today"', '"This very day"'));
    await expect(stage.getByRole('heading', { name: 'This very day' })).toBeVisible();
    await writeFile(file, text.replace('"habits_show"', '"habits_shwo"'));
    await expect(page.getByText('habits_shwo', { exact: false }).first()).toBeVisible();
    await expect(stage.getByRole('heading', { name: 'This very day' })).toBeVisible();

    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    await stage.getByRole('button', { name: 'Remove: <b>Walk</b>' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await expect(stage.getByRole('checkbox', { name: '<b>Walk</b>' })).toBeVisible();
  } finally {
    await sextant.stop();
  }
});

test('every example panel loads without problems', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await expect(page.getByRole('navigation', { name: 'Panels' })).toBeVisible();
    for (const example of await readdir(examples)) {
      const began = Date.now();
      await cp(join(examples, example), join(sextant.data, 'panels', example), { recursive: true });
      const listed = async () =>
        (
          await sextant.api<{ panels: { id: string; usable: boolean; problems?: unknown[] }[] }>('GET', '/api/panels')
        ).panels.find((one) => one.id === example && one.usable && !one.problems?.length)?.id;
      await expect.poll(listed, { intervals: [20] }).toBe(example);
      process.stdout.write(`${example}: listed after ${Date.now() - began} ms\n`);
    }
  } finally {
    await sextant.stop();
  }
});

test('a broken manifest is reported with a fix, and the last good panel keeps running', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    const folder = join(sextant.data, 'panels', sample);
    await mkdir(join(sextant.data, 'panels'), { recursive: true });
    await cp(join(examples, sample), folder, { recursive: true });
    await page.goto(sextant.window());
    const bar = page.getByRole('navigation', { name: 'Panels' });
    await bar.getByRole('button', { name: /Reading list/ }).click();
    const run = page.getByRole('button', { name: 'Run reading_list_add' });
    await expect(run).toBeVisible();

    const file = join(folder, 'manifest.json');
    const good = await readFile(file, 'utf8');
    await writeFile(
      file,
      good.replace('POST /api/reading-list/items', 'POST /api/other/items').replace('"confirm"', '"comfirm"'),
    );
    const problems = page.getByRole('region', { name: 'Problems' });
    await expect(
      problems.getByText(/the last good one, keeps running|last good manifest keeps running/i),
    ).toBeVisible();
    await expect(problems.getByText('"endpoint": "POST /api/reading-list/items"', { exact: true })).toBeVisible();
    await expect(problems.getByText('"confirm": true', { exact: true })).toBeVisible();
    await expect(problems.getByText(/^manifest\.json:\d+:\d+$/).first()).toBeVisible();
    await expect(run).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    const reported = await sextant.api<{ panels: { id: string; usable: boolean; problems: { fix?: string }[] }[] }>(
      'GET',
      '/api/panels/problems',
    );
    expect(reported.panels.map((p) => [p.id, p.usable, p.problems[0]?.fix])).toEqual([
      [sample, true, '"endpoint": "POST /api/reading-list/items"'],
    ]);

    await bar.getByRole('button', { name: /Settings/ }).click();
    await page.getByRole('button', { name: /Panel problems/ }).click();
    await expect(page.getByText('"endpoint": "POST /api/reading-list/items"', { exact: true })).toBeVisible();
    await writeFile(file, good);
    await expect(page.getByText('No panel has a problem.')).toBeVisible();
  } finally {
    await sextant.stop();
  }
});

test('a change that widens a panel’s rights waits for approval, and pinned tools are offered everywhere', async ({
  page,
}) => {
  const sextant = await Sextant.start();
  try {
    const folder = join(sextant.data, 'panels', sample);
    await page.goto(sextant.window());
    const bar = page.getByRole('navigation', { name: 'Panels' });
    await cp(join(examples, sample), folder, { recursive: true });
    await bar.getByRole('button', { name: /Reading list/ }).click();
    const manifest = await readFile(join(folder, 'manifest.json'), 'utf8');
    const offered = async () => {
      const all = await sextant.api<{ panel: { function: { name: string; description: string } }[] }>(
        'GET',
        '/api/ai/tools/discover?panelId=home',
      );
      return all.panel.map((tool) => `${tool.function.name}: ${tool.function.description}`).join('\n');
    };

    // A pinned panel’s tools are offered while another panel is open; a program may not pin.
    await page.getByRole('button', { name: /^Keep this panel’s tools/ }).click();
    await expect(page.getByRole('button', { name: /tools stay available/ })).toHaveAttribute('aria-pressed', 'true');
    await expect.poll(offered).toContain('reading_list_');
    await expect(sextant.api('POST', `/api/panels/${sample}/pin`, { pinned: false })).rejects.toThrow(/403/);

    // A manifest that starts another program waits for approval.
    const widened = JSON.parse(manifest) as { backend: { args: string[] }; tools: { description: string }[] };
    widened.backend.args = ['other.mjs'];
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(widened));
    const question = page.getByRole('region', { name: /Accept the changed manifest of Reading list/ });
    await expect(question).toContainText('“other.mjs” instead of');
    await expect(question.getByRole('region', { name: 'Changes in manifest.json' })).toContainText('other.mjs');
    await expect(bar.getByRole('button', { name: 'Reading list, a change is waiting for your review' })).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    const { panels } = await sextant.api<{ panels: { id: string; pending?: { hash: string } }[] }>(
      'GET',
      '/api/panels',
    );
    const hash = panels.find((one) => one.id === sample)?.pending?.hash;
    await expect(sextant.api('POST', `/api/panels/${sample}/accept`, { hash })).rejects.toThrow(/403/);
    await question.getByRole('button', { name: 'Decline' }).click();
    await expect(page.getByText('You declined a change to manifest.json.')).toBeVisible();

    // A tool’s description waits too, until the person says that they work on the panel.
    const reworded = JSON.parse(manifest) as typeof widened;
    reworded.tools[0]!.description = 'Says something else now.';
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(reworded));
    await expect(question).toContainText('its description, which the assistant reads, changes');
    expect(await offered()).not.toContain('Says something else now.');
    // An answer within half a second of the question is ignored.
    const askAgain = page.getByRole('button', { name: 'Ask again' });
    await expect(async () => {
      if (await askAgain.isVisible()) return;
      await question
        .getByRole('button', { name: 'Accept, and stop asking while I work on it' })
        .click({ timeout: 1000 });
      await expect(askAgain).toBeVisible({ timeout: 1000 });
    }).toPass();
    await expect.poll(offered).toContain('Says something else now.');
    reworded.tools[0]!.description = 'And now this.';
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(reworded));
    await expect.poll(offered).toContain('And now this.');

    // When the open panel is removed, the window shows the first one.
    await rm(folder, { recursive: true });
    await expect(bar.getByRole('button', { name: 'Home' })).toHaveAttribute('aria-current', 'page');
    await expect.poll(offered).not.toContain('reading_list_');
  } finally {
    await sextant.stop();
  }
});
