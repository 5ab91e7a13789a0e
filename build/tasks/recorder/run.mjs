// Runs a recording of Chrome's DevTools Recorder with @puppeteer/replay: node run.mjs recording.json
import { readFile } from 'node:fs/promises';
import { createRunner, parse, PuppeteerRunnerExtension } from '@puppeteer/replay';
import puppeteer from 'puppeteer-core';

class Reporting extends PuppeteerRunnerExtension {
  async runStep(step, flow) {
    try {
      await super.runStep(step, flow);
    } catch (error) {
      throw new Error(`${error.message}: ${JSON.stringify(step)}`);
    }
  }
}

const flow = parse(JSON.parse(await readFile(process.argv[2], 'utf8')));
const browser = await puppeteer.launch({
  executablePath: process.env.SEXTANT_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--host-resolver-rules=MAP *.example ' + process.env.SITES],
  downloadBehavior: { policy: 'allow', downloadPath: process.env.DOWNLOADS },
});
try {
  const [page] = await browser.pages();
  await page.setViewport({ width: 1280, height: 720 });
  await (await createRunner(flow, new Reporting(browser, page))).run();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
