import { readdir, readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

let sextant: Sextant;

test.beforeEach(async ({ page }) => {
  sextant = await Sextant.start({ env: { SHELL: '/bin/sh', PS1: '> ', ENV: '' } });
  await page.goto(sextant.window());
  await openPanel(page);
});
test.afterEach(() => sextant.stop());

async function openPanel(page: Page) {
  await page
    .getByRole('navigation', { name: 'Panels' })
    .getByRole('button', { name: /^Terminal/ })
    .click();
}

const rows = (page: Page) => page.locator('.xterm-rows');

/** Types into the terminal once it has the focus. */
async function run(page: Page, text: string) {
  await page.getByRole('textbox', { name: /^Terminal\. F6/ }).focus();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

async function shell(page: Page) {
  await page.getByRole('main').getByRole('button', { name: 'New shell' }).last().click();
  await expect(rows(page)).toContainText('>');
}

/** Reports whether a program with these words on its command line runs. */
async function runs(words: string): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(words)) return true;
  }
  return false;
}

test('a shell takes input, fits its panel, and survives a panel switch and a reload', async ({ page }) => {
  await shell(page);
  await run(page, 'stty size; echo wo""rd-$((6*7))');
  await expect(rows(page)).toContainText('word-42');
  const size = (await rows(page).innerText()).match(/\b(\d\d) (\d\d+)\b/);
  await page.setViewportSize({ width: 1600, height: 1000 });
  await expect
    .poll(async () => {
      await run(page, 'clear; stty size');
      return Number((await rows(page).innerText()).match(/\b(\d\d) (\d\d+)\b/)?.[2] ?? 0);
    })
    .toBeGreaterThan(Number(size?.[2] ?? 999));
  await run(page, 'echo kept-$((40+2))');
  await expect(rows(page)).toContainText('kept-42');
  await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: /^Home/ }).click();
  await expect(rows(page)).toHaveCount(0);
  await openPanel(page);
  await expect(rows(page)).toContainText('kept-42');
  await page.reload();
  await openPanel(page);
  await expect(rows(page)).toContainText('kept-42');
  await run(page, 'echo on-$((1+1))');
  await expect(rows(page)).toContainText('on-2');
});

test('endless output does not block the window, and Ctrl+C stops it', async ({ page }) => {
  await shell(page);
  await run(page, 'yes flooooding');
  await expect(rows(page)).toContainText('flooooding');
  // Another tab opens and answers while the first one prints.
  await page.getByRole('button', { name: 'New shell' }).click();
  await expect(page.getByRole('tab', { name: 'Shell 2' })).toHaveAttribute('aria-selected', 'true');
  await run(page, 'echo alive-$((6*7))');
  await expect(rows(page)).toContainText('alive-42');
  await page.getByRole('tab', { name: 'Shell 1' }).click();
  await expect(rows(page)).toContainText('flooooding');
  await page.getByRole('textbox', { name: /^Terminal\. F6/ }).focus();
  await page.keyboard.press('Control+c');
  await run(page, 'clear; echo done-$((6*7))');
  await expect(rows(page)).toContainText('done-42');
});

test('an ended shell can be restarted, and closing one ends everything it started', async ({ page }) => {
  await shell(page);
  await run(page, 'exit 3');
  await expect(page.getByText('The shell ended with exit code 3.')).toBeVisible();
  await page.getByRole('button', { name: 'Start again' }).click();
  await expect(page.getByText('Your shell, outside the sandbox')).toBeVisible();
  await run(page, 'setsid sleep 765432 & echo up-$((1+2))');
  await expect(rows(page)).toContainText('up-3');
  expect(await runs('sleep\u0000765432')).toBe(true);
  await page.getByRole('tab', { name: 'Shell 1' }).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).click();
  await expect(page.getByText('No terminal is open')).toBeVisible();
  await expect.poll(() => runs('sleep\u0000765432')).toBe(false);
});

test('pasting lines asks first and drops control characters, and programs cannot use the clipboard', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await shell(page);
  const paste = async (text: string) => {
    await page.evaluate((value) => navigator.clipboard.writeText(value), text);
    await page.getByRole('textbox', { name: /^Terminal\. F6/ }).focus();
    await page.keyboard.press('Control+Shift+v');
  };
  await paste('echo one-$((1+0))\necho two-$((1+1))\n');
  const dialog = page.getByRole('dialog', { name: 'Paste 2 lines?' });
  await expect(dialog).toContainText('echo two-');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await paste('echo three-$((1+2))\u001b[201~\n');
  await page
    .getByRole('dialog', { name: 'Paste 1 line?' })
    .getByRole('button', { name: /^Paste/ })
    .click();
  await expect(rows(page)).toContainText('three-3');
  expect(await rows(page).innerText()).not.toContain('two-2');
  await page.evaluate(() => navigator.clipboard.writeText('mine'));
  await run(
    page,
    String.raw`printf '\033]52;c;ZXZpbA==\007\033]0;'; ` +
      String.raw`head -c 90 /dev/zero | tr '\0' 'T'; printf '\007done-%s' $((6*7))`,
  );
  await expect(rows(page)).toContainText('done-42');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  await expect(page.getByRole('tab', { name: `Shell 1 ${'T'.repeat(39)}…` })).toBeVisible();
});

test('a script that plays key presses types nothing into the person’s shell', async ({ page }) => {
  await shell(page);
  await page.evaluate(() => {
    const area = document.querySelector<HTMLTextAreaElement>('.xterm-helper-textarea')!;
    for (const key of 'id') area.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    for (const key of 'id')
      area.dispatchEvent(new KeyboardEvent('keypress', { key, charCode: key.charCodeAt(0), bubbles: true }));
    area.value = 'planted';
    area.dispatchEvent(new InputEvent('input', { data: 'planted', inputType: 'insertText', bubbles: true }));
    const data = new DataTransfer();
    data.setData('text/plain', 'planted');
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  await run(page, 'echo real-$((6*7))');
  await expect(rows(page)).toContainText('real-42');
  expect(await rows(page).innerText()).not.toContain('planted');
});

test('a command of the assistant runs live in its own terminal and can be stopped', async ({ page }) => {
  await page
    .getByRole('textbox', { name: 'Message to the assistant' })
    .fill('/terminal_run {"command": "echo live-$((6*7)); sleep 100", "wait": 2}');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: /^Assistant/ })).toBeVisible();
  await page.getByRole('tab', { name: /^Assistant/ }).click();
  await expect(rows(page)).toContainText('live-42');
  await expect(page.getByText('The assistant’s, in the sandbox')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByText(/^Ended \(stopped/)).toBeVisible();
});

for (const scheme of ['dark', 'light'] as const) {
  test(`the panel has no accessibility violations, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    const empty = await new AxeBuilder({ page }).analyze();
    expect(empty.violations.map((v) => `${v.id}: ${v.nodes[0]?.target}`)).toEqual([]);
    await shell(page);
    await run(page, 'ls --color=always /');
    const open = await new AxeBuilder({ page }).analyze();
    expect(open.violations.map((v) => `${v.id}: ${v.nodes[0]?.target}`)).toEqual([]);
  });
}
