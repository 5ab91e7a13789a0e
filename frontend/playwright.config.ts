import { defineConfig } from '@playwright/test';

// The end-to-end tests start the built program themselves; they need nothing but its path.
export default defineConfig({
  testDir: './e2e',
  timeout: 120_000,
  // How long what must come is waited for: no test is about time, and machines are busy.
  expect: { timeout: 20_000 },
  // Each file starts a program, a home and ports of its own; under a load of 17 none of them met another.
  workers: 2,
  // A test that holds only the second time is told as flaky: a defect to be found, that hides nothing else.
  retries: 1,
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.SEXTANT_CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
