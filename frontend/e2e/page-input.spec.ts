import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, type Page } from '@playwright/test';
import { Sextant } from './sextant';

// The page is used as a person does: through its picture, with the mouse, keys and the clipboard of the window.
const FORM = `<!doctype html><title>Form</title>
<style>body { margin: 0; font: 16px sans-serif } body > * { position: absolute; left: 20px; width: 260px; height: 32px; margin: 0 }</style>
<select id=tree style="top:20px" onchange="document.title = value"><option>Ash<option>Fir<option>Yew</select>
<textarea id=text style="top:70px">words to copy</textarea>
<a href="/next" style="top:130px">Next page</a>
<p style="top:180px">A needle in a haystack</p><p style="top:1600px">Another needle</p>
<input id=day type=date value=2026-11-26 style="top:300px" onchange="document.title = value">
<button style="top:350px" onclick="document.title = 'answer ' + confirm('Delete it?')">Ask</button>
<button style="top:400px" onclick="setTimeout(() => alert('Hello'), 2000)">Later</button>
<input type=file style="top:450px" onchange="const f = this.files[0]; f.text().then((t) => { out.textContent = f.name + ': ' + t })">
<p id=out style="top:600px"></p>
<div id=drop style="top:500px;outline:1px solid" ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); document.title = 'dropped ' + event.dataTransfer.files[0].name">Drop here</div>
<input id=city list=cities style="top:550px" onchange="document.title = value">
<datalist id=cities><option>Aachen<option>Berlin<option>Bern<option>Ulm</datalist>
<div id=edit contenteditable style="top:230px;outline:1px solid" oninput="document.title = textContent"></div>`;

let site: Server;
let sextant: Sextant;

test.beforeEach(async ({ context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(FORM)).listen(
    0,
    '127.0.0.1',
  );
  sextant = await Sextant.start({ args: ['--allow-hosts', '127.0.0.1'] });
});
test.afterEach(async () => {
  await sextant.stop();
  site.close();
  site.closeAllConnections();
});

/** Opens the form and returns a function that presses the mouse at a point of the page. */
async function openForm(page: Page) {
  await page.goto(sextant.window());
  await sextant.mustExecute('navigate_page', { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/` });
  await sextant.mustExecute('open_browser_panel');
  const picture = page.locator('canvas');
  await expect(picture).toHaveAttribute('aria-label', /Form/);
  await page.getByRole('button', { name: 'Numbers', exact: true }).click(); // they would be in the way
  await expect(page.locator('.annotation-layer .annotation')).toHaveCount(0);
  return {
    picture,
    press: (x: number, y: number, button: 'left' | 'right' = 'left') => picture.click({ position: { x, y }, button }),
  };
}
const tab = (page: Page, title: string) => page.getByRole('tab', { name: title });

test('a list of the page opens over its picture and is used by mouse and keys', async ({ page }) => {
  const { press } = await openForm(page);
  await press(60, 36);
  const list = page.getByRole('listbox', { name: 'Choose in the page' });
  await expect(list.getByRole('option')).toHaveText(['Ash', 'Fir', 'Yew']);
  await list.getByRole('option', { name: 'Fir' }).click();
  await expect(tab(page, 'Fir')).toBeVisible();
  await page.keyboard.press('Space');
  await expect(list.getByRole('option', { name: 'Fir' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('y');
  await page.keyboard.press('Enter');
  await expect(tab(page, 'Yew')).toBeVisible();
  await expect(list).toBeHidden();
  await page.keyboard.press('Space');
  await expect(list).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
});

test('the suggestions of a text field are shown, and one is chosen by keys or the mouse', async ({ page }) => {
  const { press } = await openForm(page);
  await press(60, 566);
  await page.keyboard.type('ber');
  await page.keyboard.press('ArrowDown');
  const list = page.getByRole('listbox', { name: 'Choose in the page' });
  await expect(list.getByRole('option')).toHaveText(['Berlin', 'Bern']);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(tab(page, 'Bern')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await press(268, 566); // the arrow in the field
  await list.getByRole('option', { name: 'Ulm' }).click();
  await expect(tab(page, 'Ulm')).toBeVisible();
});

test('a date is picked over the picture of the page', async ({ page }) => {
  const { press } = await openForm(page);
  await press(265, 316); // the calendar in the field
  const field = page.locator('.picker').getByLabel('Choose in the page');
  await expect(field).toHaveValue('2026-11-26');
  await field.fill('2026-12-24');
  await page.locator('.picker').getByRole('button', { name: 'Set' }).click();
  await expect(tab(page, '2026-12-24')).toBeVisible();
  await expect(field).toBeHidden();
});

test('what is copied on the page reaches the clipboard, and what is on the clipboard is pasted', async ({ page }) => {
  const { press } = await openForm(page);
  await press(60, 86);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('words to copy');
  await page.evaluate(() => navigator.clipboard.writeText('from another program'));
  await press(60, 246);
  await page.keyboard.press('Control+v');
  await expect(tab(page, 'from another program')).toBeVisible();
});

test('the mouse shows the cursor and the link, and a right click offers what can be done with it', async ({ page }) => {
  const { picture, press } = await openForm(page);
  await picture.hover({ position: { x: 60, y: 140 } });
  await expect(picture).toHaveCSS('cursor', 'pointer');
  await expect(page.locator('.live-page .link')).toHaveText(/\/next$/);
  await picture.hover({ position: { x: 60, y: 86 } });
  await expect(picture).toHaveCSS('cursor', 'text');
  await picture.hover({ position: { x: 60, y: 140 } });
  await expect(picture).toHaveCSS('cursor', 'pointer');
  await press(60, 140, 'right');
  await page.getByRole('menuitem', { name: 'Copy link address' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/next$/);
  await press(60, 140, 'right');
  await page.getByRole('menuitem', { name: 'Open link in new tab' }).click();
  await expect(page.getByRole('tab')).toHaveCount(2);
});

test('text is found in the page, and the page is zoomed', async ({ page }) => {
  const { press } = await openForm(page);
  await press(500, 300);
  await page.keyboard.press('Control+f');
  await page.getByRole('search', { name: 'Find in the page' }).getByRole('textbox').fill('needle');
  const count = page.getByRole('search').getByRole('status');
  await expect(count).toHaveText('1 of 2');
  await expect(page.locator('.match.current')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(count).toHaveText('2 of 2');
  await expect(page.locator('.match.current')).toHaveCount(1); // the second one is below what was shown
  await page.keyboard.press('Escape');
  await expect(page.getByRole('search', { name: 'Find in the page' })).toBeHidden();
  await page.keyboard.press('Control+Equal');
  await page.keyboard.press('Control+Equal');
  await page.getByRole('button', { name: '125%' }).click();
  await expect(page.getByRole('button', { name: '125%' })).toBeHidden();
});

test('a dialog of the page takes the focus, and Enter and Esc answer it', async ({ page }) => {
  const { press } = await openForm(page);
  const dialog = page.getByRole('alertdialog');
  await press(60, 366);
  await expect(dialog.getByRole('button', { name: 'Accept' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(tab(page, 'answer false')).toBeVisible();
  await expect(page.locator('[data-surface=page]')).toBeFocused();
  await press(60, 366);
  await expect(dialog.getByRole('button', { name: 'Accept' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(tab(page, 'answer true')).toBeVisible();
  // A person who writes to the assistant does not answer the page by accident.
  const message = page.getByRole('textbox', { name: 'Message to the assistant' });
  await press(60, 416);
  await message.fill('half a sentence');
  await expect(dialog).toBeVisible();
  await expect(message).toBeFocused();
  await dialog.getByRole('button', { name: 'Accept' }).focus();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a message gives back the page that a person took over', async ({ page }) => {
  const { press } = await openForm(page);
  const message = page.getByRole('textbox', { name: 'Message to the assistant' });
  await page.getByRole('button', { name: 'Take over' }).click();
  await expect(page.getByText('You have the page.')).toBeVisible();
  await press(60, 140);
  await expect(page.getByText(/By hand: 1 click, now at 127\.0\.0\.1:\d+\/next/)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Sending gives it back' }).uncheck();
  await message.fill('what can you do');
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Give back' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Sending gives it back' }).check();
  const started = Date.now();
  await message.fill('back');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Take over' })).toBeVisible();
  await expect.poll(async () => (await page.locator('.address-display').textContent()) ?? '').toMatch(/:\d+$/);
  expect(Date.now() - started).toBeLessThan(10_000); // a call waits 20 s for the page
});

test('a person chooses a file for the page, and drops one on it', async ({ page }) => {
  const { picture, press } = await openForm(page);
  const chooser = page.waitForEvent('filechooser');
  await press(60, 466);
  await (await chooser).setFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('three lamps') });
  const content = async () => JSON.stringify(await sextant.execute('get_page_content'));
  await expect.poll(content).toContain('list.txt: three lamps');
  await expect(page.getByText('It gets only what you choose.')).toHaveCount(0);

  const box = (await picture.boundingBox())!;
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['x'], 'lamp.png', { type: 'image/png' }));
    return transfer;
  });
  const at = { clientX: box.x + 60, clientY: box.y + 516 };
  await page.dispatchEvent('canvas', 'dragenter', { dataTransfer: data, ...at });
  await page.dispatchEvent('canvas', 'dragover', { dataTransfer: data, ...at });
  await expect(page.getByText('Drop on the page')).toBeVisible();
  await page.dispatchEvent('canvas', 'drop', { dataTransfer: data, ...at });
  await expect(tab(page, 'dropped lamp.png')).toBeVisible();
  await expect(page.getByText('lamp.png', { exact: true })).toHaveCount(0); // not attached to a message
});
