import type { FilesApi } from '../../shared/api/files';

/** How long an answer is valid, and how long paths are collected for one request. */
const VALID_MS = 30_000;
const BATCH_MS = 40;
/** The most paths per request, and the most answers in the cache. */
const PATHS_MAX = 250;
const CACHE_MAX = 2000;

/** Checks in batches whether files that a conversation names exist. */
export class FileExistence {
  #known = new Map<string, { exists: boolean; at: number }>();
  #asked: Promise<void> | null = null;
  #wanted = new Set<string>();

  constructor(
    private readonly api: () => FilesApi,
    private readonly workspace: () => string,
  ) {}

  /** Returns the paths that exist. Relative paths are in the workspace. */
  async existing(paths: string[]): Promise<Set<string>> {
    const fresh = (path: string) => Date.now() - (this.#known.get(path)?.at ?? -Infinity) < VALID_MS;
    const open = paths.filter((path) => !fresh(path));
    if (open.length > 0) {
      for (const path of open) this.#wanted.add(path);
      this.#asked ??= new Promise((done) => setTimeout(() => void this.#ask().finally(done), BATCH_MS));
      await this.#asked;
    }
    return new Set(paths.filter((path) => this.#known.get(path)?.exists));
  }

  #absolute(path: string): string {
    return path.startsWith('/') ? path : `${this.workspace()}/${path.replace(/^\.\//, '')}`;
  }

  async #ask(): Promise<void> {
    // Several paths, such as "a.go" and "./a.go", may name the same file.
    const named = new Map<string, string[]>();
    for (const path of this.#wanted) {
      const whole = this.#absolute(path);
      named.set(whole, [...(named.get(whole) ?? []), path]);
    }
    const paths = [...named.keys()];
    this.#wanted.clear();
    this.#asked = null;
    for (let i = 0; i < paths.length; i += PATHS_MAX) {
      const stamps = await this.api()
        .stamps(paths.slice(i, i + PATHS_MAX))
        .catch(() => ({}) as Record<string, string>);
      if (this.#known.size > CACHE_MAX) this.#known.clear();
      for (const [path, stamp] of Object.entries(stamps))
        for (const name of named.get(path) ?? []) this.#known.set(name, { exists: stamp !== '', at: Date.now() });
    }
  }
}
