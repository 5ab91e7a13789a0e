import type { FilesApi } from '../../shared/api/files';

/** How long an answer holds, and how long questions are gathered. */
const HOLDS_MS = 30_000;
const GATHER_MS = 40;
/** Paths of one question, and answers that are remembered. */
const MOST = 250;
const REMEMBERED = 2000;

/** Whether paths that are named in the talk are there; many questions at once are one request. */
export class There {
  #known = new Map<string, { there: boolean; at: number }>();
  #asked: Promise<void> | null = null;
  #wanted = new Set<string>();

  constructor(
    private readonly api: () => FilesApi,
    private readonly workspace: () => string,
  ) {}

  /** Those of the paths that are there now. */
  async of(paths: string[]): Promise<Set<string>> {
    const fresh = (path: string) => Date.now() - (this.#known.get(path)?.at ?? -Infinity) < HOLDS_MS;
    const open = paths.filter((path) => !fresh(path));
    if (open.length > 0) {
      for (const path of open) this.#wanted.add(path);
      this.#asked ??= new Promise((done) => setTimeout(() => void this.#ask().finally(done), GATHER_MS));
      await this.#asked;
    }
    return new Set(paths.filter((path) => this.#known.get(path)?.there));
  }

  #whole(path: string): string {
    return path.startsWith('/') ? path : `${this.workspace()}/${path.replace(/^\.\//, '')}`;
  }

  async #ask(): Promise<void> {
    // One file may be named in several ways.
    const named = new Map<string, string[]>();
    for (const path of this.#wanted) {
      const whole = this.#whole(path);
      named.set(whole, [...(named.get(whole) ?? []), path]);
    }
    const paths = [...named.keys()];
    this.#wanted.clear();
    this.#asked = null;
    for (let i = 0; i < paths.length; i += MOST) {
      const stamps = await this.api()
        .stamps(paths.slice(i, i + MOST))
        .catch(() => ({}) as Record<string, string>);
      if (this.#known.size > REMEMBERED) this.#known.clear();
      for (const [path, stamp] of Object.entries(stamps))
        for (const name of named.get(path) ?? []) this.#known.set(name, { there: stamp !== '', at: Date.now() });
    }
  }
}
