import { gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The most the window may load before it shows anything (the entry, its static imports and styles), in kilobytes of
// gzip. The build fails above that, or when a package of a single panel is among it.
const FIRST_LOAD = 180;
const LAZY_PACKAGES = ['uplot', 'marked', 'dompurify', '@codemirror/', '@lezer/', '@xterm/', 'katex', 'mermaid'];

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
      const early = moduleIds.find((id) => LAZY_PACKAGES.some((pack) => id.includes(`/node_modules/${pack}`)));
      if (early) this.error(`${early} is loaded before the window shows; import it where it is used`);
    }
    const size = `${(bytes / 1000).toFixed(1)} kB of gzip before the window shows`;
    if (!first.size || bytes > FIRST_LOAD * 1000) this.error(`${size}; at most ${FIRST_LOAD} are allowed`);
    this.info(`${size}, of ${FIRST_LOAD}`);
  },
};

// KaTeX's styles name each font in three formats. Every browser that can show the window reads the first.
const onlyWoff2 = {
  name: 'only-woff2',
  enforce: 'pre',
  transform: (code, id) =>
    /katex.*\.css$/.test(id) ? code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)/g, '') : undefined,
};

// The window is embedded into the program and served from a loopback origin: relative addresses and no inlined
// assets, which the page's content security policy forbids.
export default defineConfig({
  base: './',
  plugins: [svelte(), onlyWoff2, firstLoad],
  build: {
    outDir: 'dist',
    // public/.gitkeep is copied back, so the embedded folder always exists in a checkout.
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome109', 'safari16'],
    chunkSizeWarningLimit: 700,
  },
  // The navigation map is outside of the frontend folder.
  server: { fs: { allow: ['.', '../shared/navigation'] } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.ts'],
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : undefined,
});
