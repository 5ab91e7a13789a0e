import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

let site: Server;
let sextant: Sextant;
let origin: string;

test.beforeEach(async () => {
  site = createServer((request, response) => {
    const name = request.url === '/lamps' ? 'Brass lamps' : 'Home of lights';
    response.setHeader('set-cookie', 'visitor=7; Path=/');
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><title>${name}</title>${request.headers.cookie}`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  sextant = await Sextant.start({ args: ['--allow-hosts', '127.0.0.1'] });
});
test.afterEach(async () => {
  await sextant.stop();
  site.close();
  site.closeAllConnections();
});

test('the address bar suggests what was visited and open tabs, and words are a search', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('navigate_page', { url: `${origin}/lamps` });
  await sextant.mustExecute('navigate_page', { url: `${origin}/` });
  await sextant.mustExecute('open_browser_panel');
  await expect(page.getByRole('tab', { name: 'Home of lights' })).toBeVisible();

  await page.keyboard.press('Control+l');
  const address = page.getByRole('combobox', { name: 'Address' });
  await expect(address).toBeFocused();
  const option = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await expect(option.filter({ hasText: 'Brass lamps' })).toBeVisible();
  await page.keyboard.type('brass');
  await expect(option.nth(0)).toHaveText('Search DuckDuckGo for “brass”');
  await expect(option.nth(1)).toContainText('Brass lamps');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(address).toHaveValue(`${origin}/lamps`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Brass lamps' })).toBeVisible();

  // What was typed is kept while the person looks elsewhere.
  await page.keyboard.press('Control+l');
  await page.keyboard.type('127.0.0.1/half an');
  await page.getByRole('textbox', { name: 'Message to the assistant' }).click();
  await page.keyboard.press('Control+l');
  await expect(address).toHaveValue('127.0.0.1/half an');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+t');
  await expect(address).toBeFocused();
  await page.keyboard.type('lamps');
  await expect(option.filter({ hasText: 'Open tab' })).toContainText('Brass lamps');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
});

test('the history is searched, and a site is forgotten with its cookies', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('navigate_page', { url: `${origin}/lamps` });
  await sextant.mustExecute('navigate_page', { url: `${origin}/` });
  await sextant.mustExecute('open_browser_panel');
  await expect.poll(async () => JSON.stringify(await sextant.execute('get_page_content'))).toContain('visitor=7');
  await page.keyboard.press('Control+Shift+h');
  const dialog = page.getByRole('dialog', { name: 'History' });
  await expect(dialog.getByText('Brass lamps')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Search the history' }).fill('brass');
  await expect(dialog.getByText('Home of lights')).toHaveCount(0);
  await dialog.getByRole('textbox', { name: 'Search the history' }).fill('');
  await dialog.getByRole('button', { name: 'Forget 127.0.0.1' }).first().click();
  await dialog.getByRole('button', { name: 'Forget the site', exact: true }).click();
  await expect(dialog.getByText(/No pages yet/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await sextant.mustExecute('navigate_page', { action: 'reload' });
  await expect.poll(async () => JSON.stringify(await sextant.execute('get_page_content'))).toContain('undefined');

  // A closed tab comes back.
  await page.keyboard.press('Control+w');
  await expect(page.getByRole('tab', { name: 'Home of lights' })).toHaveCount(0);
  await page.keyboard.press('Control+Shift+t');
  await expect(page.getByRole('tab', { name: 'Home of lights' })).toBeVisible();
});

test('an address that cannot be opened says why in place of the page', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('open_browser_panel');
  await expect(page.getByRole('combobox', { name: 'Address' })).toBeVisible();
  await page.keyboard.press('Control+l');
  await page.keyboard.type('nosuch.invalid/path'); // from the first key on
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'nosuch.invalid was not found' })).toBeVisible();
  await expect(page.locator('.address-display')).toHaveText('nosuch.invalid/path');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Change the address' }).click();
  await expect(page.getByRole('combobox', { name: 'Address' })).toBeFocused();
  const port = (site.address() as AddressInfo).port;
  site.close();
  site.closeAllConnections();
  await page.keyboard.type(`http://127.0.0.1:${port}/`);
  await page.keyboard.press('Enter');
  await expect(page.locator('.address-display')).toHaveText(`127.0.0.1:${port}`);
});

test('the palette finds settings, files and visited pages, and asks the assistant', async ({ page }) => {
  await writeFile(join(sextant.dir, 'work', 'brass-list.txt'), 'three');
  await page.goto(sextant.window());
  await sextant.mustExecute('navigate_page', { url: `${origin}/lamps` });
  await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toBeVisible();
  const box = page.getByRole('combobox', { name: 'Command palette' });
  const option = page.getByRole('listbox', { name: 'Command palette' }).getByRole('option');
  await page.keyboard.press('Control+k');
  await box.fill('brass');
  await expect(option.filter({ hasText: 'brass-list.txt' }).first()).toBeVisible();
  await expect(option.filter({ hasText: 'Brass lamps' })).toBeVisible();
  await expect(option.last()).toHaveText('Ask: brass');
  await box.fill('secrets');
  await option.filter({ hasText: 'Secrets' }).first().click();
  await expect(page.getByRole('navigation', { name: 'Settings sections' }).locator('[aria-current=page]')).toHaveText(
    'Secrets',
  );
  await page.keyboard.press('Control+k');
  await box.fill('hotkeys');
  await expect(option.first()).toContainText('Keyboard');
  await box.fill('dark mode');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Control+k');
  await box.fill('theme of the window');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Search settings' })).toHaveValue('theme');
  await page.keyboard.press('Control+k');
  await box.fill('folder');
  await expect(option.first()).toContainText('Open a folder');
  await box.fill('list a directory');
  await expect(option.first()).toContainText('List directory');
  await page.keyboard.press('Enter');
  const tool = page.getByRole('dialog', { name: 'List directory' });
  await tool.getByRole('button', { name: 'Run list_directory' }).click();
  await expect(tool.getByText('brass-list.txt').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tool).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await box.fill('what can you do');
  await expect(option.first()).toHaveText('Ask: what can you do');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').filter({ hasText: 'built-in command pilot' })).toBeVisible();
});

test('a message that names a command of the window runs it', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('navigate_page', { url: `${origin}/lamps` });
  const message = page.getByRole('textbox', { name: 'Message to the assistant' });
  await message.fill('please switch to light mode');
  await message.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(message).toHaveValue('');
  await message.fill('make the page bigger');
  await message.press('Enter');
  await expect(page.locator('.page-footer').getByText('110%')).toBeVisible();
  await message.fill('find on this page');
  await message.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Find in the page' })).toBeFocused();
  await message.fill('why is it light');
  await message.press('Enter');
  await expect(page.getByRole('article').filter({ hasText: 'needs a model' })).toBeVisible();
});

test('the address bar offers the server that runs in the workspace', async ({ page }) => {
  const code = `require('http').createServer((_, r) => r.setHeader('content-type', 'text/html').end('<title>My site</title>'))
    .listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)) })`;
  const server = spawn(process.execPath, ['-e', code], { cwd: sextant.work, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    await page.goto(sextant.window());
    await sextant.mustExecute('open_browser_panel');
    await expect(page.getByText('No page open')).toBeVisible();
    await page.keyboard.press('Control+l');
    const place = page.getByRole('option', { name: /Runs in your folder/ });
    await expect(place).toContainText(`localhost:${port.toString()}`);
    await place.click();
    await expect(page.getByRole('tab', { name: 'My site' })).toBeVisible();
  } finally {
    server.kill();
  }
});

test('tabs are put in another order by dragging and by keys', async ({ page }) => {
  await page.goto(sextant.window());
  for (const path of ['/', '/lamps', '/other'])
    await sextant.mustExecute('browser_tabs', { action: 'open', url: origin + path });
  await sextant.mustExecute('open_browser_panel');
  const tabs = page.getByRole('tab');
  const lamps = page.getByRole('tab', { name: 'Brass lamps' });
  await expect(tabs.nth(1)).toHaveText(/Brass lamps/);
  const from = (await lamps.boundingBox())!;
  const to = (await tabs.nth(0).boundingBox())!;
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
  await page.mouse.up();
  await expect(tabs.nth(0)).toHaveText(/Brass lamps/);
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2, { steps: 8 }); // nothing is dragged now
  await expect(lamps).toHaveAttribute('aria-selected', 'true');
  await lamps.press('Control+Shift+ArrowRight');
  await expect(tabs.nth(1)).toHaveText(/Brass lamps/);
  await expect(lamps).toBeFocused();
  await page.keyboard.press('Control+Shift+ArrowRight');
  await expect(tabs.nth(2)).toHaveText(/Brass lamps/);
  await expect(tabs).toHaveCount(3);
});

test('with many tabs the strip scrolls, and shows the active one', async ({ page }) => {
  await page.goto(sextant.window());
  for (let i = 0; i < 14; i++) await sextant.mustExecute('browser_tabs', { action: 'open', url: `${origin}/${i}` });
  await sextant.mustExecute('open_browser_panel');
  const tabs = page.getByRole('tab');
  await expect(tabs).toHaveCount(14);
  await expect(tabs.last()).toBeInViewport({ ratio: 1 });
  await expect(tabs.first()).not.toBeInViewport();
  const strip = page.getByRole('tablist');
  const faded = (side: string) => strip.evaluate((node, name) => node.style.getPropertyValue(name), `--${side}`);
  expect([await faded('before'), await faded('after')]).toEqual(['24px', '0px']);
  await tabs.last().hover();
  await page.mouse.wheel(0, -5000);
  await expect(tabs.first()).toBeInViewport({ ratio: 1 });
  await expect.poll(() => faded('after')).toBe('24px');
  await sextant.mustExecute('navigate_page', { action: 'reload' });
  await expect(tabs.first()).toBeInViewport({ ratio: 1 }); // what happens in a tab does not scroll back
  await sextant.mustExecute('browser_tabs', { action: 'select', tab: 10 });
  await expect(page.getByRole('tab', { selected: true })).toBeInViewport({ ratio: 1 });
});
