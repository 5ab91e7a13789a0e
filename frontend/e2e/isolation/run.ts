import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Canary } from './canary';
import { breach, endless, manifests, scripts, victim, type Hostile } from './hostile/index';

/** What the suite needs of a running Sextant. */
export interface Target {
  data: string;
  url: string;
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface Outcome {
  panels: number;
  /** What a panel reached that it must not reach. */
  breaches: string[];
  calls: number;
  /** Connections without a request. */
  bare: number;
  /** How long the window took to recover from a page in an endless loop, in milliseconds. */
  away: number;
}

/** How a window is tested. */
export interface Trial {
  /** How long a page may take, in milliseconds. */
  patience: number;
  /** Chromium connects for a frame's navigation before it checks the policy that refuses it. */
  bareAllowed?: boolean;
  /** What a person does while a page is in an endless loop. */
  stop?: () => Promise<void>;
}

interface Report {
  won?: string[];
  done?: boolean;
}

/** Every hostile panel. */
export const all: Record<string, Hostile & { off?: boolean }> = {
  ...Object.fromEntries(Object.entries(scripts).map(([id, h]) => [id, typeof h === 'string' ? { script: h } : h])),
  ...manifests,
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The other panels of a run: the control, one that hangs, and those that must work at the end. */
const beside: Record<string, Hostile> = { breach, victim, endless, again: { script: '' } };

/** The entry of a panel: the attack between two reports. */
export const page = (script: string) => `<!doctype html><meta charset="utf-8"><title>x</title><body><script>
const C = '{{C}}', N = '{{N}}', S = '{{S}}', U = {{U}}, report = { won: [], done: false };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const won = (why) => { report.won.push(String(why)); sextant.state.set(report).catch(() => {}); };
const put = (tag, attributes = {}, text = '', at = document.body) => {
  const e = document.createElement(tag); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.textContent = text; at.append(e); return e; };
(async () => { await sextant.ready; await sextant.state.set(report);
  try { ${script} } catch (error) { report.error = String(error); }
  report.done = true; await sextant.state.set(report); })();
</script>`;

/** Fills the addresses into a page or manifest. */
export const filled = (text: string, canary: Canary, shell: string, secret: string) =>
  text
    .replaceAll('{{C}}', `http://127.0.0.1:${canary.port}`)
    .replaceAll('{{N}}', `http://localhost:${canary.port}`)
    .replaceAll('{{S}}', new URL(shell).origin)
    .replaceAll('{{U}}', String(canary.udpPort))
    .replaceAll('{{slow}}', canary.slowURL)
    .replaceAll('{{secret}}', secret);

async function write(target: Target, canary: Canary, secret: string, id: string, panel: Hostile): Promise<void> {
  const fill = (text: string) => filled(text, canary, target.url, secret);
  const dir = join(target.data, 'panels', id);
  await mkdir(dir, { recursive: true });
  const manifest = {
    panel_id: id,
    panel_type: 'hostile',
    title: id,
    ui: { kind: 'webview', entry: 'index.html' },
    tools: [],
    ...panel.manifest,
  };
  const files = { ...panel.files, 'index.html': panel.html ?? page(panel.script ?? '') };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), fill(text));
  }
  for (const [name, path] of Object.entries(panel.links ?? {})) await symlink(fill(path), join(dir, name));
  await writeFile(join(dir, 'manifest.json'), fill(JSON.stringify(manifest)));
}

/** One window under test. */
class Run {
  readonly breaches: string[] = [];
  bare = 0;

  constructor(
    private readonly target: Target,
    private readonly canary: Canary,
    private readonly trial: Trial,
  ) {}

  private listed = async () =>
    (await this.target.api<{ panels: { id: string; usable: boolean }[] }>('GET', '/api/panels')).panels;

  /** Writes the panels, waits until the window lists them, and returns the ids of those that can be opened. */
  async fill(secret: string): Promise<Set<string>> {
    const panels = { ...all, ...beside };
    for (const [id, panel] of Object.entries(panels)) await write(this.target, this.canary, secret, id, panel);
    const count = Object.keys(panels).length;
    for (let i = 0; (await this.listed()).filter(({ id }) => id in panels).length < count; i++) {
      if (i > 200) throw new Error('the hostile panels are not all listed');
      await pause(100);
    }
    return new Set((await this.listed()).filter((p) => p.usable).map((p) => p.id));
  }

  private report = async (id: string) =>
    (await this.target.api<{ state: Report | null }>('GET', `/api/panels/${id}/state`)).state ?? {};

  /** Opens a panel and waits for a report that `until` accepts, or until the time is over. */
  async open(id: string, until: (said: Report) => boolean, time = this.trial.patience): Promise<Report> {
    this.canary.panel = id;
    await this.target.api('POST', '/api/panels/open', { panel: id });
    const end = Date.now() + time;
    let said: Report = {};
    while (Date.now() < end && !until(said)) {
      await pause(50);
      said = await this.report(id);
    }
    return said;
  }

  /** Opens a panel and records what it reached. Returns whether it reported that it is done. */
  async visit(id: string, panel: Hostile): Promise<boolean> {
    const before = this.canary.contacts.length;
    // A page that navigates away ends soon after its script starts; one without a script never reports.
    const { done } = await this.open(
      id,
      (said) => Boolean(panel.gone ? said.won : said.done),
      panel.gone && !panel.script ? 1000 : this.trial.patience,
    );
    await pause(panel.gone ? 500 : 100);
    for (const why of (await this.report(id)).won ?? []) this.breaches.push(`${id}: ${why}`);
    for (const { what } of this.canary.contacts.slice(before)) {
      // A bare connection is no breach where no request follows.
      if (
        this.trial.bareAllowed &&
        /^(leave-|blank-child$|frame$)/.test(id) &&
        (what === 'a connection' || what.startsWith('\x16\x03'))
      )
        this.bare++;
      else this.breaches.push(`${id}: the canary heard ${what}`);
    }
    return done ?? false;
  }

  /** Opens a page in an endless loop and measures how long it takes until another panel works. */
  async hang(): Promise<number> {
    await this.open('endless', (said) => Boolean(said.won));
    const since = Date.now();
    await this.trial.stop?.();
    // Chromium keeps the frames' process for two seconds and reuses it, so a page opened in that time must be opened
    // again.
    let done = false;
    for (let i = 0; i < 3 && !done; i++) {
      await this.target.api('POST', '/api/panels/open', { panel: 'home' });
      done = (await this.open('again', (said) => Boolean(said.done), this.trial.patience / 2)).done ?? false;
    }
    if (!done) this.breaches.push('endless: the window does not recover');
    return Date.now() - since;
  }
}

/** Opens every hostile panel in turn, except those that must not be usable, and returns what escaped. */
export async function isolate(target: Target, canary: Canary, secret: string, trial: Trial): Promise<Outcome> {
  const run = new Run(target, canary, trial);
  const usable = await run.fill(secret);
  await run.visit('breach', breach);
  if (!run.breaches.splice(0).length) throw new Error('the suite does not notice a breach');
  const mute: string[] = [];
  for (const [id, panel] of Object.entries(all)) {
    if (panel.off) {
      if (usable.has(id)) run.breaches.push(`${id}: its manifest was accepted`);
      continue;
    }
    if (!usable.has(id)) throw new Error(`${id} is not usable, but must be tested`);
    if (!(await run.visit(id, panel)) && !panel.gone) mute.push(id);
  }
  if (mute.length) run.breaches.push(`no report from ${mute.join(', ')}: the test page or the window is broken`);
  if (!(await run.visit('victim', victim))) run.breaches.push('victim: the window no longer works');
  const away = await run.hang();
  const { calls } = await target.api<{ calls: { tool: string; status?: string }[] }>('GET', '/api/calls?limit=500');
  for (const row of calls ?? []) {
    if (row.tool === 'bash' && row.status === 'done') run.breaches.push('bash ran');
  }
  const panels = Object.keys(all).length + 1;
  return { panels, breaches: run.breaches, calls: (calls ?? []).length, bare: run.bare, away };
}
