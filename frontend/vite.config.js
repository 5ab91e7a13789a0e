import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// What the window loads before it shows anything: the entry, what it imports at once and its
// styles, in kilobytes of gzip. A build over it fails, and so does one that holds the packages of
// a single panel there.
const FIRST_LOAD = 190;
const LATER = ['uplot', 'marked', 'dompurify', '@codemirror/', '@lezer/', '@xterm/'];

const firstLoad = {
  name: 'first-load',
  enforce: 'post',
  generateBundle(_, bundle) {
    const first = new Set();
    const follow = (name) => {
      if (first.has(name)) return;
      first.add(name);
      bundle[name]?.imports?.forEach(follow);
      bundle[name]?.viteMetadata?.importedCss.forEach(follow);
    };
    Object.values(bundle)
      .filter((chunk) => chunk.isEntry)
      .forEach((chunk) => follow(chunk.fileName));
    let bytes = 0;
    for (const name of first) {
      const { code, source, moduleIds = [] } = bundle[name];
      bytes += gzipSync(code ?? source).length;
      const early = moduleIds.find((id) => LATER.some((pack) => id.includes(`/node_modules/${pack}`)));
      if (early) this.error(`${early} is loaded before the window shows; import it where it is used`);
    }
    const size = `${(bytes / 1000).toFixed(1)} kB of gzip before the window shows`;
    if (!first.size || bytes > FIRST_LOAD * 1000) this.error(`${size}; at most ${FIRST_LOAD} are allowed`);
    this.info(`${size}, of ${FIRST_LOAD}`);
  },
};

// The window is served from one loopback origin and embedded into the program: relative
// addresses, no inlined assets (the page's policy allows none), one small set of files.
export default defineConfig({
  base: './',
  plugins: [svelte(), firstLoad],
  build: {
    outDir: 'dist',
    // public/.gitkeep is copied back, so the embedded folder always exists in a checkout.
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome109', 'safari16'],
    chunkSizeWarningLimit: 700,
  },
  // The navigation map lies beside the frontend and is read from there, not copied.
  server: { fs: { allow: ['.', '../shared/navigation'] } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : undefined,
});
