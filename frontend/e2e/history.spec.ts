import { expect, test, type Page } from '@playwright/test';
import AxeBuilder from '@axe-core/playwright';
import { ModelServer } from './model-server';
import { sendMessage, Sextant } from './sextant';

let sextant: Sextant;
let model: ModelServer;
test.beforeEach(async ({ page }) => {
  model = await ModelServer.start([{ text: 'Oslo.' }, { text: 'Bergen.' }]);
  sextant = await Sextant.start({ env: { ...model.env, SEXTANT_MODEL_TITLES: 'on' } });
  await page.goto(sextant.window());
});
test.afterEach(async () => {
  await sextant.stop();
  await model.stop();
});

const history = (page: Page) => page.getByRole('dialog', { name: 'Conversations' });

async function moveTo(page: Page, choose: (page: Page) => Promise<void>) {
  await page.getByRole('button', { name: 'Conversation menu' }).click();
  await page.getByRole('menuitem', { name: 'Move to folder…' }).click();
  await choose(page);
}

test('conversations are moved to a folder and out of it', async ({ page }) => {
  await sendMessage(page, 'trip one');
  await expect(page.getByText('Oslo.').first()).toBeVisible({ timeout: 20_000 });
  await moveTo(page, async () => {
    await page.getByRole('textbox', { name: 'Folder' }).fill('Trips');
    await page.keyboard.press('Enter');
  });
  await page.getByRole('button', { name: 'New conversation' }).click();
  await sendMessage(page, 'trip two');
  await expect(page.getByText('Bergen.').first()).toBeVisible({ timeout: 20_000 });
  await moveTo(page, async () => {
    await page.getByRole('button', { name: 'Trips', exact: true }).click();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
  });

  await page.keyboard.press('Control+h');
  const folder = history(page).getByRole('button', { name: /Trips/ });
  await expect(folder).toHaveAttribute('aria-expanded', 'true');
  await expect(history(page).getByRole('group', { name: 'Trips' }).getByRole('button')).toHaveCount(2);
  await folder.click();
  await expect(history(page).getByText('trip one')).toBeHidden();
  await history(page).getByRole('textbox').fill('trip one');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'trip one' })).toBeVisible();
  await moveTo(page, () => page.getByRole('button', { name: 'Take out of the folder' }).click());
  await page.reload();
  await page.getByRole('button', { name: 'Conversations', exact: true }).click();
  await expect(history(page).getByRole('button', { name: /Trips/ })).toContainText('1');
  await expect(history(page).getByText('trip one')).toBeVisible();
});

test('the model names a conversation after its first answer, and a name of the person stays', async ({ page }) => {
  model.title = 'Towns in Norway';
  await sendMessage(page, 'where shall we go');
  await expect(page.getByRole('heading', { name: 'Towns in Norway' })).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Conversation menu' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Holidays');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Holidays' })).toBeVisible();
  await sendMessage(page, 'and then');
  await expect(page.getByText('Bergen.').first()).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('heading', { name: 'Holidays' })).toBeVisible();
});

test('an export of another program is imported once, and a file of another kind is refused', async ({ page }) => {
  const exported = [
    {
      id: 'fjords',
      title: 'Fjords by boat',
      create_time: 1767225600,
      current_node: 'b',
      mapping: {
        a: {
          id: 'a',
          parent: null,
          message: {
            id: 'm-a',
            author: { role: 'user' },
            create_time: 1767225600,
            content: { content_type: 'text', parts: ['Which fjord is the longest?'] },
          },
        },
        b: {
          id: 'b',
          parent: 'a',
          message: {
            id: 'm-b',
            author: { role: 'assistant' },
            create_time: 1767225601,
            content: { content_type: 'text', parts: ['Sognefjord.'] },
          },
        },
      },
    },
  ];
  const choose = async (name: string, text: string) => {
    const chosen = page.waitForEvent('filechooser');
    await history(page).getByRole('button', { name: 'Import…' }).click();
    await (await chosen).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  };
  await page.getByRole('button', { name: 'Conversations', exact: true }).click();
  await expect(history(page).getByText('No conversations yet.')).toBeVisible();
  await choose('conversations.json', JSON.stringify(exported));
  await expect(page.getByText('Imported 1 conversation.')).toBeVisible();
  await choose('conversations.json', JSON.stringify(exported));
  await expect(page.getByText('Imported 0 conversations. 1 was here already.')).toBeVisible();
  await choose('notes.json', '{"notes":[]}');
  await expect(page.getByText(/Nothing was imported/)).toBeVisible();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: test.info().outputPath(`history-${colorScheme}.png`) });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html}`)).toEqual([]);
  }
  await history(page).getByText('Fjords by boat').click();
  await expect(page.getByText('Sognefjord.').first()).toBeVisible();
});
