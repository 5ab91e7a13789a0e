import { defineConfig } from '@playwright/test';

/** Measures the window; `make bench-window` runs it. */
export default defineConfig({
  testDir: 'bench',
  testMatch: '*.bench.ts',
  workers: 1,
  timeout: 20 * 60_000,
  reporter: 'line',
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
