import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The window is served from one loopback origin and embedded into the program: relative
// addresses, no inlined assets (the page's policy allows none), one small set of files.
export default defineConfig({
  base: './',
  plugins: [svelte()],
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
