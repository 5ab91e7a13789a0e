import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from '@playwright/test';
import { bin } from './sextant';

const form = `<!doctype html><title>Form</title>
<form onsubmit="event.preventDefault(); document.querySelector('output').textContent = 'Hello ' + this.name.value">
<label>Name <input name="name" required></label><button>Greet</button></form><output></output>`;

let site: Server;
let siteURL: string;
let home: string;
let client: Client;

test.beforeAll(async () => {
  site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(form);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteURL = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  home = await mkdtemp(join(tmpdir(), 'sextant-mcp-'));
  client = new Client({ name: 'stock-client', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: bin,
      args: ['mcp', '--headless', '--allow-hosts', '127.0.0.1'],
      env: {
        ...(process.env as Record<string, string>),
        SEXTANT_DATA: join(home, 'data'),
        SEXTANT_CONFIG: join(home, 'config'),
      },
    }),
  );
});

test.afterAll(async () => {
  await client.close();
  site.close();
  await rm(home, { recursive: true, force: true });
});

/** Calls a tool and returns its text. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const answer = await client.callTool({ name, arguments: args });
  const content = answer.content as { type: string; text?: string }[];
  return content.map((c) => c.text ?? `(${c.type})`).join('\n');
}

/** Returns the element number at the start of the first line that matches. */
function number(text: string, what: RegExp): number {
  const line = text.split('\n').find((l) => what.test(l));
  const found = line?.match(/^\[(\d+)\]/);
  if (!found) throw new Error(`no line matches ${what} in:\n${text}`);
  return Number(found[1]);
}

test('a stock MCP client lists the core tools', async () => {
  const { tools } = await client.listTools();
  const names = tools.map((t) => t.name);
  for (const name of ['navigate_page', 'annotate_page', 'click_element', 'type_text', 'take_screenshot'])
    expect(names).toContain(name);
  expect(names.length).toBeLessThanOrEqual(12);
});

test('a stock MCP client fills in a form by element numbers', async () => {
  const page = await call('navigate_page', { url: siteURL });
  expect(page).toContain('Page: Form');
  const seen = await call('annotate_page');
  const typed = await call('type_text', { annotationId: number(seen, /textbox "Name"/), text: 'Ana' });
  expect(typed).toContain('= "Ana"');
  await call('click_element', { annotationId: number(seen, /button "Greet"/) });
  expect(await call('get_page_content', { format: 'text' })).toContain('Hello Ana');
});

test('a screenshot is returned as an image', async () => {
  const answer = await client.callTool({ name: 'take_screenshot', arguments: { annotated: true } });
  const content = answer.content as { type: string; mimeType?: string; data?: string }[];
  const picture = content.find((c) => c.type === 'image');
  expect(picture?.mimeType).toBe('image/png');
  expect(Buffer.from(picture!.data!, 'base64').subarray(1, 4).toString()).toBe('PNG');
});

test('an unknown element number is an error that says what to do', async () => {
  const answer = await client.callTool({ name: 'click_element', arguments: { annotationId: 99999 } });
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain('annotate_page');
});

test('an address that is not allowed is refused with the flag that allows it', async () => {
  const answer = await client.callTool({ name: 'navigate_page', arguments: { url: 'http://10.0.0.1/' } });
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain('--allow-hosts');
});
