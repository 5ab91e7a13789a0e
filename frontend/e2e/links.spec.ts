import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, type Page } from '@playwright/test';
import { bin, conversation, sendMessage, Sextant } from './sextant';

const stage = (page: Page, title: string) => page.getByRole('main', { name: title });

/** Runs the command line beside a running Sextant, as the desktop does with a link. No program can be opened. */
async function open(sextant: Sextant, target: string | string[], display = ''): Promise<string> {
  const env = { PATH: '/nowhere', SEXTANT_DATA: sextant.data, SEXTANT_CONFIG: `${sextant.dir}/config` };
  const { stdout } = await promisify(execFile)(bin, [target].flat(), {
    env: display ? { ...env, DISPLAY: display } : env,
  });
  return stdout.trim();
}

test('a sextant:// link shows a conversation, a panel or a recipe, and offers an address', async ({
  page,
  context,
}) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'help');
    await expect(conversation(page)).toContainText('built-in command pilot');
    const { conversations } = await sextant.api<{ conversations: { id: string }[] }>('GET', '/api/state');

    // Without a display, the link is in the address of a new window.
    const other = await context.newPage();
    await other.goto(await open(sextant, 'sextant://panel/terminal'));
    await expect(stage(other, 'Terminal')).toBeVisible();
    expect(other.url()).not.toContain('terminal');
    await other.close();

    // With one, open windows show it.
    await page.getByRole('button', { name: 'New conversation' }).click();
    await expect(conversation(page)).not.toContainText('built-in command pilot');
    await open(sextant, `sextant://conversation/${conversations[0]!.id}`, ':77');
    await expect(conversation(page)).toContainText('built-in command pilot');
    await open(sextant, 'sextant://panel/notes', ':77');
    await expect(stage(page, 'Notes')).toBeVisible();
    await open(sextant, 'sextant://recipe/order-lamp', ':77');
    await expect(page.getByText('There is no recipe called order-lamp.')).toBeVisible();

    await open(sextant, 'https://example.invalid/a?b=1', ':77');
    await expect(page.getByText('A link asks to open https://example.invalid/a?b=1.')).toBeVisible();
    await expect(stage(page, 'Notes')).toBeVisible();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(stage(page, 'Browser')).toBeVisible();
    await expect(page.getByRole('heading', { name: /example.invalid/ })).toBeVisible();

    for (const link of ['sextant://run/order-lamp', 'sextant://open?url=file:///etc/passwd', 'sextant://panel/a?run=1'])
      await expect(open(sextant, link, ':77')).rejects.toThrow('links look like');
  } finally {
    await sextant.stop();
  }
});

test('“sextant ask” shows a new message with its text, and sends nothing', async ({ page }) => {
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'help');
    await expect(conversation(page)).toContainText('built-in command pilot');
    await page.getByRole('button', { name: 'Notes' }).first().click();
    await open(sextant, ['ask', 'open demo &', 'click 3'], ':77');
    const box = page.getByRole('textbox', { name: 'Message' });
    await expect(box).toHaveValue('open demo & click 3');
    await expect(box).toBeFocused();
    await expect(conversation(page)).not.toContainText('built-in command pilot');
    // What is in the box stays.
    await open(sextant, ['ask', 'and more'], ':77');
    await expect(box).toHaveValue('open demo & click 3\n\nand more');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await open(sextant, ['ask'], ':77');
    await expect(box).toHaveValue('');
    await expect(open(sextant, 'sextant://new?text=delete%20everything', ':77')).rejects.toThrow('links look like');
    const { conversations } = await sextant.api<{ conversations: unknown[] }>('GET', '/api/state');
    expect(conversations).toHaveLength(1);
  } finally {
    await sextant.stop();
  }
});
