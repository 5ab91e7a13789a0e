import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { Sextant } from './sextant';

test.use({ viewport: { width: 1440, height: 900 } });

const PAGE = `<!doctype html><title>Effects</title>
<p id=result>nothing yet</p>
<button onclick="document.getElementById('result').textContent = 'Hello ' + prompt('Your name?', 'Ana')">Ask</button>
<a href="/report.csv" download>Report</a>`;

let sextant: Sextant;
let site: Server;
let address: string;

test.beforeEach(async () => {
  site = createServer((request, response) => {
    if (request.url === '/private') {
      const given = Buffer.from(`ana:lantern`).toString('base64');
      if (request.headers.authorization !== `Basic ${given}`) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="The vault"' }).end('no');
        return;
      }
      response.setHeader('Content-Type', 'text/html').end('<title>Vault</title><h1>Inside the vault</h1>');
    } else if (request.url === '/report.csv') {
      response.setHeader('Content-Disposition', 'attachment; filename="report.csv"').end('a,b\n1,2\n');
    } else {
      response.setHeader('Content-Type', 'text/html').end(PAGE);
    }
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  sextant = await Sextant.start({ args: ['--allow-hosts', '127.0.0.1'] });
});

test.afterEach(async () => {
  await sextant.stop();
  site.close();
  site.closeAllConnections();
});

/** Annotates the page and returns the id of the element with a name. */
async function id(name: string): Promise<number> {
  const { result } = await sextant.mustExecute('annotate_page');
  return result!.elements!.find((element) => element.name === name)!.id;
}

test('a page’s prompt gets the text a person types', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('open_browser_panel');
  await sextant.mustExecute('navigate_page', { url: address });
  await sextant.mustExecute('click_element', { annotationId: await id('Ask') });
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Your name?');
  const answer = dialog.getByRole('textbox', { name: 'Answer' });
  await expect(answer).toHaveValue('Ana');
  await answer.fill('Bo');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await expect(dialog).toBeHidden();
  await expect
    .poll(async () => JSON.stringify(await sextant.execute('get_page_content', { format: 'text' })))
    .toContain('Hello Bo');
});

test('a site that asks for a login gets one', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('open_browser_panel');
  await sextant.mustExecute('navigate_page', { url: `${address}/private` });
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText(/The vault.* asks for a user name and password/);
  await dialog.getByLabel('Username').fill('ana');
  await dialog.getByLabel('Password').fill('lantern');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('tab', { name: 'Vault' })).toBeVisible();
});

test('a download is saved and listed with its path', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('open_browser_panel');
  await sextant.mustExecute('navigate_page', { url: address });
  await sextant.mustExecute('click_element', { annotationId: await id('Report') });
  await page.getByRole('button', { name: /1 download/ }).click();
  const list = page.getByLabel('Downloads', { exact: true });
  await expect(list).toContainText('report.csv');
  await expect(list).toContainText('8 B');
  const path = await list.locator('[title*="/report.csv"]').getAttribute('title');
  expect(await readFile(path!, 'utf8')).toBe('a,b\n1,2\n');
});

test('a page can be shown as on a phone', async ({ page }) => {
  await page.goto(sextant.window());
  await sextant.mustExecute('open_browser_panel');
  await sextant.mustExecute('navigate_page', { url: address });
  await page.getByRole('button', { name: 'Device: desktop' }).click();
  await page.getByRole('menuitem', { name: 'phone' }).click();
  await expect(page.getByRole('button', { name: 'Device: phone' })).toBeVisible();
  await expect(page.getByText('390 × 844')).toBeVisible();
});
