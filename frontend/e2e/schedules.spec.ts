import AxeBuilder from '@axe-core/playwright';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { conversation, Sextant } from './sextant';

const panel = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name });

async function saveRecipe(sextant: Sextant, start: string): Promise<void> {
  const file = join(sextant.data, 'recipes/find-lamp/recipe.json');
  await mkdir(join(file, '..'), { recursive: true });
  const recipe = {
    name: 'find-lamp',
    parameters: [{ name: 'lamp', description: 'Lamp', default: 'Fen' }],
    steps: [
      { tool: 'navigate_page', args: { url: start } },
      {
        tool: 'type_text',
        args: { annotationId: { role: 'searchbox', name: 'Search' }, text: '{{lamp}}', submit: true },
        expect: { event: 'navigated', url: 'http://demo.sextant.test/search' },
      },
    ],
  };
  await writeFile(file, JSON.stringify(recipe));
}

test('a recipe runs by itself within what was allowed, and is parked when it wants more', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await saveRecipe(sextant, 'demo');
    await page.goto(sextant.window());
    await panel(page, /^Schedules/).click();
    await expect(page.getByRole('heading', { name: 'Nothing runs by itself yet' })).toBeVisible();

    await panel(page, /^Recipes/).click();
    await page.getByRole('button', { name: 'Schedule…' }).click();
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('find-lamp');
    await page.getByRole('textbox', { name: 'Name' }).fill('Lamps on Sundays');
    await page.getByRole('textbox', { name: 'Lamp' }).fill('Moor');
    await page.getByLabel('It runs').selectOption('Once a week');
    await page.getByLabel('Day', { exact: true }).selectOption('Sunday');
    await page.getByLabel('Time', { exact: true }).fill('02:30');
    await page.getByLabel('Time zone').fill('Mars/Base');
    await page.getByLabel('Time zone').blur();
    await expect(page.getByRole('alert')).toContainText('There is no time zone "Mars/Base"');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Time zone').blur();
    await expect(page.getByText(/the clocks go forward and skip 02:30: it runs at 03:30/)).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();

    const schedule = page.getByRole('region', { name: 'Lamps on Sundays' });
    await expect(schedule.getByText('demo.sextant.test')).toBeVisible();
    await expect(schedule.getByText('Navigate page, Type text')).toBeVisible();
    await expect(panel(page, /A schedule waits for you/)).toBeVisible();
    await schedule.getByRole('button', { name: 'Allow this and start' }).click();
    await expect(schedule.getByText(/On Sundays at 02:30 \(Europe\/Berlin\), next/)).toBeVisible();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await expect(schedule.getByText('Done', { exact: true })).toBeVisible({ timeout: 20_000 });
    await expect(schedule.getByText(/search\?q=Moor/)).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await schedule.getByRole('button', { name: 'Open the conversation' }).click();
    await expect(conversation(page)).toContainText('Run the recipe find-lamp with lamp Moor.');
    // It had tabs of its own.
    await panel(page, /^Browser/).click();
    await expect(page.getByText('/search?q=Moor', { exact: true })).toBeHidden();

    await saveRecipe(sextant, 'http://demo.sextant.test/lamps/desk');
    await panel(page, /^Recipes/).click();
    await expect(page.getByText('Open http://demo.sextant.test/lamps/desk').first()).toBeVisible();
    await panel(page, /^Schedules/).click();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    const because = 'What it runs has changed since you signed its permission card.';
    await expect(schedule.getByText(`Paused: ${because}`)).toBeVisible({ timeout: 20_000 });
    await schedule.getByRole('button', { name: 'Allow this and go on' }).click();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await expect(schedule.getByText('Done', { exact: true })).toHaveCount(2, { timeout: 20_000 });
    await schedule.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByRole('list', { name: 'Schedules' }).getByText('Paused', { exact: true })).toBeVisible();
    await schedule.getByRole('button', { name: 'Resume' }).click();
    await schedule.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete schedule' }).click();
    await expect(page.getByRole('heading', { name: 'Nothing runs by itself yet' })).toBeVisible();
  } finally {
    await sextant.stop();
  }
});

test('a prompt may use what a watched run used, and nothing else', async ({ page }) => {
  const numbered = (content: string, name: string) =>
    Number(/\[(\d+)\]/.exec(content.split('\n').find((line) => line.includes(`"${name}"`)) ?? '')?.[1]);
  const results = (messages: { role: string; content: unknown }[]) =>
    messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const answer = { text: 'The shop has desk lamps.' };
  const open = { calls: [{ name: 'navigate_page', args: { url: 'demo' } }] };
  const press = ({ messages }: { messages: { role: string; content: unknown }[] }) => ({
    calls: [{ name: 'click_element', args: { annotationId: numbered(results(messages).at(-1)!, 'Basket (0)') } }],
  });
  const model = await ModelServer.start([open, answer, open, answer, open, press, open, press, answer]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    await panel(page, /^Schedules/).click();
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Assortment');
    await page.getByRole('radio', { name: 'A prompt' }).click();
    await page
      .getByRole('textbox', { name: 'What the assistant shall do' })
      .fill('Open the demo and say what it sells.');
    await page.getByRole('button', { name: 'Save' }).click();
    const schedule = page.getByRole('region', { name: 'Assortment' });
    await expect(schedule.getByText(/What a prompt or tool needs is not known beforehand/)).toBeVisible();
    await schedule.getByRole('button', { name: 'Watch a run' }).click();
    await expect(conversation(page)).toContainText('The shop has desk lamps.', { timeout: 20_000 });
    await panel(page, /^Schedules/).click();
    await expect(schedule.getByText('Navigate page', { exact: true })).toBeVisible();
    await schedule.getByRole('button', { name: 'Allow this and start' }).click();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await expect(schedule.getByText('Done', { exact: true })).toHaveCount(2, { timeout: 20_000 });

    await panel(page, /^Home/).click();
    await expect(page.getByRole('heading', { name: 'Assortment' })).toBeVisible();
    const list = await sextant.api<{ schedules: { schedule: { id: string } }[] }>('GET', '/api/schedules');
    await sextant.api('POST', `/api/schedules/${list.schedules[0]!.schedule.id}/run`, {});
    const notice = page.getByRole('region', { name: 'Notifications' });
    await expect(notice.getByText('“Assortment” was parked.', { exact: false })).toBeVisible({ timeout: 20_000 });
    await notice.getByRole('button', { name: 'Show it' }).click();
    await expect(schedule.getByText('It wanted: ', { exact: false })).toBeVisible();
    await expect(
      schedule.getByText(/the tool click_element, which the permission card does not list/).first(),
    ).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await expect(schedule.getByText('Click element, Navigate page')).toBeVisible();
    await schedule.getByRole('button', { name: 'Allow this and go on' }).click();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await expect(schedule.getByText('Done', { exact: true })).toHaveCount(3, { timeout: 20_000 });
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

test('a new file and a call from a program each run a recipe', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await saveRecipe(sextant, 'demo');
    const inbox = join(sextant.data, 'inbox');
    await mkdir(inbox);
    await writeFile(join(inbox, 'old.txt'), 'was there');
    await page.goto(sextant.window());
    await panel(page, /^Recipes/).click();
    await page.getByRole('button', { name: 'Schedule…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Lists');
    await page.getByRole('textbox', { name: 'Lamp' }).fill('{{file}}');
    await page.getByLabel('It runs').selectOption('For each new file in a folder');
    await page.getByLabel('Folder, from /').fill('/nowhere');
    await page.getByLabel('Folder, from /').blur();
    await expect(page.getByRole('alert')).toContainText('The folder /nowhere cannot be read');
    await page.getByLabel('Folder, from /').fill(inbox);
    await page.getByLabel('Folder, from /').blur();
    await expect(page.getByRole('alert')).toBeHidden();
    await page.getByLabel('Only names like').fill('*.txt');
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    const lists = page.getByRole('region', { name: 'Lists' });
    await expect(lists.getByText(`For each new file *.txt in ${inbox}`)).toBeVisible();
    await lists.getByRole('button', { name: 'Allow this and start' }).click();
    await expect(lists.getByRole('button', { name: 'Pause' })).toBeVisible();
    await writeFile(join(inbox, 'june.txt'), 'Moor');
    await expect(lists.getByText('Done', { exact: true })).toBeVisible({ timeout: 40_000 });
    await expect(lists.getByText(/june\.txt ·/)).toBeVisible();
    await expect(lists.getByText(/search\?q=.*june\.txt/)).toBeVisible();

    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Called');
    await page.getByLabel('A recipe').selectOption('find-lamp');
    await page.getByLabel('It runs').selectOption('When a program calls it');
    await page.getByRole('button', { name: 'Save' }).click();
    const called = page.getByRole('region', { name: 'Called' });
    await called.getByRole('button', { name: 'Allow this and start' }).click();
    await called.getByRole('button', { name: 'Make a token' }).click();
    const command = (await called.locator('pre').textContent()) ?? '';
    const [, token = '', address = ''] = /Bearer (\S+)' (\S+)/.exec(command) ?? [];
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    const post = (key: string) => fetch(address, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
    expect((await post('wrong')).status).toBe(401);
    expect((await post(token)).status).toBe(202);
    await expect(called.getByText('Done', { exact: true })).toBeVisible({ timeout: 40_000 });
    await called.getByRole('button', { name: 'Make another token' }).click();
    await expect(called.locator('pre')).not.toContainText(token);
    expect((await post(token)).status).toBe(401);
  } finally {
    await sextant.stop();
  }
});
