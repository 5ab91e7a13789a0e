import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';

/** The program under test; `make e2e` sets its path. */
export const bin = process.env.SEXTANT_BIN ?? join(import.meta.dirname, '../../build/bin/sextant');

/** What every tool returns. */
export interface Result {
  success: boolean;
  result?: { text?: string; page?: { title: string; url: string }; elements?: Element[] };
  error?: string;
  error_type?: string;
  suggestion?: string;
}

/** A numbered element. */
export interface Element {
  id: number;
  role: string;
  name: string;
  value?: string;
  box: { x: number; y: number; width: number; height: number };
}

/** Options for starting the program. */
export interface Start {
  dir?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Puts the data folder on a disk of this many megabytes that only the program sees; see `inside`. */
  disk?: number;
}

/** Sends a message to the assistant. Waits for Send first: an answer may be shown before its turn is over. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to the assistant' }).fill(text);
  await expect(page.locator('.composer').getByRole('button', { name: 'Send', exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
}

/** The region with the conversation. */
export const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation', exact: true });

/** Returns a promise and the function that resolves it. */
export function gate(): { until: Promise<void>; open: () => void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open };
}

/** Opens a section of the settings. */
export async function openSettings(page: Page, section: RegExp): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Panels' })
    .getByRole('button', { name: /Settings/ })
    .click();
  await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: section }).click();
}

/** A running `sextant serve` with its own folders. */
export class Sextant {
  private constructor(
    readonly dir: string,
    readonly url: string,
    readonly token: string,
    private readonly windowURL: string,
    private readonly child: ChildProcess,
    private readonly ownDir: boolean,
  ) {}

  /** Starts the program and waits until it is ready. */
  static async start({ dir, env = {}, args = [], disk = 0 }: Start = {}): Promise<Sextant> {
    const home = dir ?? (await mkdtemp(join(tmpdir(), 'sextant-e2e-')));
    const tokenFile = join(home, 'token.json');
    await mkdir(join(home, 'work'), { recursive: true });
    const command = [bin, 'serve', '--token-file', tokenFile, ...args];
    if (disk > 0) {
      await mkdir(join(home, 'data'), { recursive: true });
      const mount = `mount -t tmpfs -o size=${disk}m,mode=700 tmpfs "$0" && exec "$@"`;
      command.unshift('unshare', '-Urm', 'sh', '-c', mount, join(home, 'data'));
    }
    const child = spawn(command[0]!, command.slice(1), {
      cwd: join(home, 'work'),
      env: {
        ...process.env,
        SEXTANT_DATA: join(home, 'data'),
        SEXTANT_CONFIG: join(home, 'config'),
        SEXTANT_KEYCHAIN: 'off',
        SEXTANT_MODEL_TITLES: 'off', // a request that a script of answers does not expect
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`sextant serve ended with ${code}`)));
    });
    const { url, token, window } = JSON.parse(await readFile(tokenFile, 'utf8')) as {
      url: string;
      token: string;
      window: string;
    };
    return new Sextant(home, `${url}/`, token, window, child, dir === undefined);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get data(): string {
    return join(this.dir, 'data');
  }

  /** Returns the path by which the test reaches a file on the program's own disk. */
  inside(path: string): string {
    return join('/proc', String(this.pid), 'root', path);
  }

  /** The assistant's workspace. */
  get work(): string {
    return join(this.dir, 'work');
  }

  /** Sends a request to the HTTP API with the token. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Runs a tool. */
  execute(tool: string, args: Record<string, unknown> = {}): Promise<Result> {
    return this.api('POST', '/api/ai/tools/execute', { tool, args });
  }

  /** Runs a tool and fails the test unless it succeeds. */
  async mustExecute(tool: string, args: Record<string, unknown> = {}): Promise<Result> {
    const result = await this.execute(tool, args);
    if (!result.success) throw new Error(`${tool}: ${result.error} (${result.suggestion})`);
    return result;
  }

  /** Returns the number of finished turns in all conversations. */
  async turnsOver(): Promise<number> {
    const { conversations } = await this.api<{ conversations: { id: string }[] | null }>('GET', '/api/state');
    const transcripts = (conversations ?? []).map(({ id }) =>
      this.api<{ events: { kind: string }[] | null }>('GET', `/api/conversations/${id}`),
    );
    return (await Promise.all(transcripts))
      .flatMap(({ events }) => events ?? [])
      .filter(({ kind }) => kind === 'turn.ended').length;
  }

  /** Reports whether the person controls the page now. */
  async personHas(): Promise<boolean> {
    return (await this.api<{ browser: { person_has?: boolean } }>('GET', '/api/state')).browser.person_has ?? false;
  }

  /** Returns the address that opens the program's window. It works once. */
  window(): string {
    return this.windowURL;
  }

  /** Kills the program, as a crash would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends the program, and removes its folders unless the test named their folder in `dir`. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    if (this.ownDir) await rm(this.dir, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill(signal);
    await gone;
  }
}
