import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { Canary } from './isolation/canary';
import { withoutSandbox } from './isolation/control';
import { outgoing } from './isolation/hostile/index';
import { isolate, type Target, type Trial } from './isolation/run';
import { Sextant } from './sextant';

// Set by build/isolation-test.sh to test the real window too: its data folder, and a plain view of the same engine.
const folder = process.env.SEXTANT_ISOLATION_DATA;
const view = process.env.SEXTANT_ISOLATION_VIEW;

async function testIsolation(target: Target, work: string, trial: Trial): Promise<string> {
  const canary = await Canary.start();
  const secret = join(work, 'canary.txt');
  await writeFile(secret, 'the canary file');
  try {
    const { panels, breaches, calls, bare, away } = await isolate(target, canary, secret, trial);
    expect(breaches).toEqual([]);
    expect(await readFile(secret, 'utf8')).toBe('the canary file');
    expect(existsSync(`${secret}.forked`)).toBe(false);
    expect((await readdir(work)).filter((name) => name === 'owned')).toEqual([]);
    return (
      `${panels} hostile panels, ${bare} connections without a request, ${calls} calls in the log; ` +
      `recovered from an endless page after ${away} ms`
    );
  } finally {
    canary.stop();
  }
}

/** Checks that the suite notices an escape: it runs the same pages without a sandbox. */
async function control(ids: string[], show: (url: string) => Promise<unknown>): Promise<void> {
  const canary = await Canary.start();
  try {
    expect(await withoutSandbox(canary, ids, show, 10_000)).toEqual({ heard: ids, unheard: [] });
  } finally {
    canary.stop();
  }
}

const run = promisify(execFile);
/** Returns the titles of all visible windows on the display. */
const windows = async () => {
  const { stdout } = await run('xdotool', ['search', '--onlyvisible', '--name', '.']);
  const names = stdout.split('\n').filter(Boolean);
  const titles = names.map(async (id) =>
    (await run('xdotool', ['getwindowname', id]).catch(() => null))?.stdout.trim(),
  );
  return (await Promise.all(titles)).filter((title) => title !== undefined); // a closed window has none
};

/** Clicks into the frozen window, accepts the offer to stop its page, and waits for Home. */
async function stopThePage(target: Target): Promise<void> {
  await run('xdotool', ['mousemove', '640', '400', 'click', '1']);
  await expect.poll(windows, { timeout: 60_000 }).toContain('The window does not answer');
  const { stdout } = await run('xdotool', ['search', '--onlyvisible', '--name', 'The window does not answer']);
  await run('xdotool', ['windowfocus', '--sync', stdout.trim(), 'key', 'alt+s']);
  const active = async () => (await target.api<{ active_panel: string }>('GET', '/api/state')).active_panel;
  await expect.poll(active).toBe('home');
}

test('no hostile panel escapes its frame in Chromium', async ({ page }) => {
  test.skip(Boolean(folder), 'this run tests the real window');
  test.setTimeout(900_000);
  const sextant = await Sextant.start();
  try {
    await page.goto(sextant.window());
    await expect(page.getByRole('navigation', { name: 'Panels' })).toBeVisible();
    const shell = page.url();
    let dialogs = 0;
    let popups = 0;
    page.on('dialog', (dialog) => (dialogs++, void dialog.dismiss()));
    page.context().on('page', () => popups++);
    // The window itself continues while a page computes endlessly. A click of Playwright's would ask each frame.
    const stop = async () => {
      await page
        .getByRole('navigation', { name: 'Panels' })
        .getByRole('button', { name: 'Home' })
        .dispatchEvent('click', {}, { timeout: 30_000 });
      await expect(page.getByRole('heading', { name: 'Your panels' })).toBeVisible();
    };
    const summary = await testIsolation(sextant, sextant.work, { patience: 20_000, bareAllowed: true, stop });
    expect({ dialogs, popups, url: page.url() }).toEqual({ dialogs: 0, popups: 0, url: shell });
    console.log(`isolation: Chromium: ${summary}, 0 breaches`); // eslint-disable-line no-console
  } finally {
    await sextant.stop();
  }
});

test('no hostile panel escapes its frame in the real window', async () => {
  test.skip(!folder, 'build/isolation-test.sh runs it with a window');
  test.setTimeout(900_000);
  const { url, token } = JSON.parse(await readFile(join(folder!, 'instance.json'), 'utf8')) as Record<string, string>;
  const api: Target['api'] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { Authorization: `Bearer ${token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  const before = await windows();
  const target = { data: folder!, url: url!, api };
  const summary = await testIsolation(target, folder!, { patience: 20_000, stop: () => stopThePage(target) });
  expect({ windows: await windows(), opened: existsSync(join(folder!, 'opened')) }).toEqual({
    windows: before,
    opened: false,
  });
  console.log(`isolation: real window: ${summary}, 0 breaches`); // eslint-disable-line no-console
});

test('without the sandbox the same pages reach the canary in Chromium', async ({ page }) => {
  test.skip(Boolean(folder), 'this run tests the real window');
  await control(outgoing, (url) => page.goto(url));
});

test('without the sandbox the same pages reach the canary in the engine of the real window', async () => {
  test.skip(!view, 'build/isolation-test.sh runs it with a view');
  const shown: ReturnType<typeof spawn>[] = [];
  try {
    // preconnect-markup comes last, because the request of a later page could use the connection that it opens.
    await control([...outgoing, 'preconnect-markup'], async (url) =>
      shown.push(spawn(view!, [url], { stdio: 'ignore' })),
    );
  } finally {
    for (const child of shown) child.kill('SIGKILL');
  }
});
