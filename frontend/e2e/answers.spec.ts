import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer } from './model-server';
import { conversation, sendMessage, Sextant } from './sextant';

const WIDE_ROW = 'An unbreakable-identifier-in-a-cell';
const ANSWER = `Here is **the plan**[^1], with $e^{i\\pi} + 1 = 0$ for $5 and $6.

| Name | Count | ${'Description of it | '.repeat(6)}
|:-----|------:|${'---|'.repeat(6)}
| ${WIDE_ROW} | 12 | ${'IncomprehensibilityWord | '.repeat(6)}

\`\`\`python
def greet(name: str) -> str:  ${'# a long comment '.repeat(12)}
    return f"Hello {name}"
\`\`\`

$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt\\pi}{2}$$

\`\`\`mermaid
graph LR
  A[Start] --> B{Ready?}
  B -->|yes| C[Send]
  B -->|no| A
\`\`\`

\`\`\`mermaid
graph LR
  A[[[ --> ]
\`\`\`

- [x] Measure
- [ ] Cut

<details>
<summary>More</summary>

Hidden **text**.
</details>

[^1]: From the [notes](https://notes.example/plan).
`;

async function setTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

async function expectAccessible(page: Page, part: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(part).analyze();
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

test('answers show tables, code, formulas and diagrams, and can be copied and read in a wide view', async ({
  page,
}) => {
  const model = await ModelServer.start([{ text: ANSWER }]);
  const sextant = await Sextant.start({ env: model.env });
  const outside: string[] = [];
  const refused: string[] = [];
  page.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url()) && new URL(request.url()).hostname !== '127.0.0.1')
      outside.push(request.url());
  });
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  try {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // A press copies asynchronously.
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.goto(sextant.window());
    await sendMessage(page, 'plan it');
    const answer = conversation(page).locator('.assistant-message');
    const python = answer.getByRole('group', { name: 'Code, python' });

    await expect(answer.locator('.katex')).toHaveCount(2);
    await expect(answer).toContainText('for $5 and $6.');
    await expect(python.locator('.tok-keyword').first()).toHaveText('def');

    // The table keeps its words and scrolls in its own box.
    const table = answer.getByRole('region', { name: 'Table' });
    const cell = table.getByText(WIDE_ROW);
    expect(await cell.evaluate((element) => element.getClientRects().length)).toBeLessThanOrEqual(4);
    expect(await table.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
    expect(await conversation(page).evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await table.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => table.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);

    // Code can be copied, wrapped, and scrolled by keyboard.
    await python.getByRole('button', { name: 'Copy code' }).click();
    await expect.poll(clipboard).toMatch(/^def greet[\s\S]*\{name\}"$/);
    const pre = python.getByRole('region');
    const scrolls = () => pre.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(await scrolls()).toBe(true);
    await pre.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => pre.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    await python.getByRole('button', { name: 'Wrap long lines' }).click();
    await expect.poll(scrolls).toBe(false);
    await expect(python.getByRole('button', { name: 'Do not wrap lines' })).toHaveAttribute('aria-pressed', 'true');

    // One diagram is drawn and enlarges; the other says why it is not drawn, and its code stays.
    const diagram = answer.getByRole('button', { name: 'Enlarge the diagram' });
    await expect(diagram).toHaveCount(1);
    await expect(answer.getByText(/^Not drawn: Parse error on line 2/)).toBeVisible();
    await expect(answer.getByRole('region', { name: 'Code, mermaid' })).toContainText('A[[[ --> ]');
    await diagram.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Diagram' });
    await expect(dialog.getByRole('img')).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(diagram).toBeFocused();

    // A footnote leads to its note and back.
    await answer.locator('sup a').click();
    const note = answer.getByRole('link', { name: 'Note 1, back to the text' });
    await expect(note).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(answer.locator('sup a')).toBeFocused();
    await answer.getByText('More', { exact: true }).click();
    await expect(answer.getByText('Hidden')).toBeVisible();

    // The whole answer can be copied.
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect.poll(clipboard).toBe(ANSWER.trim());
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await expect.poll(clipboard).toContain('Here is the plan[1], with');
    expect(await clipboard()).toContain(`${WIDE_ROW}\t12\t`);

    for (const theme of ['dark', 'light'] as const) {
      await setTheme(page, theme);
      await expectAccessible(page, '.conversation');
    }

    // The wide view covers the stage; Esc leaves it, and so does opening a panel.
    const width = () => page.getByRole('region', { name: 'Assistant' }).evaluate((element) => element.clientWidth);
    const narrow = await width();
    await page.getByRole('button', { name: 'Wide view' }).click();
    await expect.poll(width).toBeGreaterThan(1200);
    await expect(page.getByRole('main')).toBeHidden();
    for (const theme of ['dark', 'light'] as const) {
      await setTheme(page, theme);
      await expectAccessible(page, '.assistant');
    }
    await page.keyboard.press('Escape');
    await expect.poll(width).toBe(narrow);
    await expect(page.getByRole('main')).toBeVisible();
    await page.keyboard.press('Alt+Shift+J');
    await expect.poll(width).toBeGreaterThan(1200);
    await page.getByRole('navigation', { name: 'Panels' }).getByRole('button', { name: 'Home' }).click();
    await expect.poll(width).toBe(narrow);

    // The width of the assistant is remembered.
    await page.getByRole('separator', { name: 'Resize the assistant' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width).toBe(narrow + 16);
    await expect
      .poll(async () => {
        await page.reload();
        await expect(answer).toBeVisible();
        return width();
      })
      .toBe(narrow + 16);

    expect(outside).toEqual([]);
    expect(refused).toEqual([]);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

const HOSTILE = `<img src="https://evil.example/a.png" onerror="window.ran = 1"> <script>window.ran = 1</script>

[x](javascript:window.ran=1) ![y](https://evil.example/b.png) see [12]

$\\sqrt{x}\\href{javascript:window.ran=1}{x}\\includegraphics{https://evil.example/c.png}$ and $\\sqrt{2}$

\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/d.png) }"}}%%
graph LR
  A["<img src='https://evil.example/e.png' onerror='window.ran=1'>"] --> B[<script>window.ran=1</script>]
  click A "javascript:window.ran=1"
\`\`\`

The end.
`;

test('hostile answers run nothing and load nothing', async ({ page }) => {
  const model = await ModelServer.start([{ text: HOSTILE }]);
  const sextant = await Sextant.start({ env: model.env });
  const outside: string[] = [];
  page.on('request', (request) => request.url().includes('evil.example') && outside.push(request.url()));
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'attack');
    const answer = conversation(page).locator('.assistant-message');
    await expect(answer).toContainText('The end.');
    await expect(
      answer.getByRole('button', { name: 'Enlarge the diagram' }).or(answer.getByText('Not drawn')),
    ).toBeVisible();
    await expect(answer.locator('[data-mark="12"]')).toHaveCount(1);
    await expect(answer.locator('.katex svg path')).not.toHaveCount(0);
    await expect(
      answer.locator('script, iframe, [onerror], a[href^=javascript], img:not([src^="data:image/svg"])'),
    ).toHaveCount(0);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(outside).toEqual([]);
  } finally {
    await sextant.stop();
    await model.stop();
  }
});

test('a screenshot shows on its call and enlarges', async ({ page }) => {
  const model = await ModelServer.start([
    { calls: [{ name: 'open_browser_panel', args: {} }] },
    { calls: [{ name: 'take_screenshot', args: {} }] },
    { text: 'That is the page.' },
  ]);
  const sextant = await Sextant.start({ env: model.env });
  try {
    await page.goto(sextant.window());
    await sendMessage(page, 'show me the page');
    await expect(conversation(page)).toContainText('That is the page.');
    const thumbnail = conversation(page).getByRole('button', { name: 'Enlarge: Image from take_screenshot' });
    await expect(thumbnail.locator('img')).toBeVisible();
    await thumbnail.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Image from take_screenshot' });
    await expect(dialog.getByRole('img', { name: 'Image from take_screenshot' })).toBeVisible();
    for (const theme of ['dark', 'light'] as const) {
      await setTheme(page, theme);
      await expectAccessible(page, '[role=dialog]');
    }
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(thumbnail).toBeFocused();
    for (const theme of ['dark', 'light'] as const) {
      await setTheme(page, theme);
      await expectAccessible(page, '.conversation');
    }
  } finally {
    await sextant.stop();
    await model.stop();
  }
});
