import { defineConfig } from '@playwright/test';

// The end-to-end tests start the built program themselves and need only its path.
export default defineConfig({
  testDir: './e2e',
  timeout: 120_000,
  // Generous, because no test is about timing and machines are busy.
  expect: { timeout: 20_000 },
  // Each spec file starts its own program with its own folders and ports.
  workers: 2,
  // A test that passes only on the second try is reported as flaky; it is a defect, but does not hide others.
  retries: 1,
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    trace: 'on-first-retry',
    launchOptions: {
      executablePath: process.env.SEXTANT_CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
