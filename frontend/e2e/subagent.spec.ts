import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { ModelServer, type Answer } from './model-server';
import { gate, sendMessage, Sextant, conversation } from './sextant';

const assistant = (page: Page) => page.getByRole('region', { name: 'Assistant' });

async function withModel(answers: Answer[], run: (sextant: Sextant, model: ModelServer) => Promise<void>) {
  const model = await ModelServer.start(answers);
  const sextant = await Sextant.start({
    env: model.env,
  });
  try {
    await run(sextant, model);
  } finally {
    await sextant.stop();
    await model.stop();
  }
}

const runSubagent = (task: string): Answer => ({ calls: [{ name: 'run_subagent', args: { task } }] });
const lookUp: Answer = { calls: [{ name: 'get_workspace_state', args: {} }] };

test('a subagent shows its progress, opens read-only and is in no list of conversations', async ({ page }) => {
  const end = gate();
  await withModel(
    [
      runSubagent('Count the panels'),
      lookUp,
      { text: 'There are', until: end.until },
      { text: 'Four panels, the subagent says.' },
    ],
    async (sextant, model) => {
      await page.goto(sextant.window());
      await sendMessage(page, 'How many panels are there?');
      const card = conversation(page).getByRole('group').filter({ hasText: 'Subagent: Count the panels' });
      await expect(card).toContainText('1 call');
      await expect(card).toContainText('Thinking');

      await card.getByRole('button', { name: 'Show subagent' }).click();
      await expect(conversation(page)).toContainText('Count the panels');
      await expect(conversation(page)).toContainText('get_workspace_state');
      await expect(page.getByRole('textbox', { name: 'Message to the assistant' })).toHaveCount(0);
      await expect(assistant(page)).toContainText('read-only');
      const { violations } = await new AxeBuilder({ page }).include('[data-region=assistant]').analyze();
      expect(violations.map((v) => v.id)).toEqual([]);
      end.open();
      await expect(conversation(page)).toContainText('There are');

      await page.getByRole('button', { name: 'Conversations' }).first().click();
      await expect(page.locator('.history .list-row')).toHaveText([/How many panels are there/]);
      await page.keyboard.press('Escape');
      await assistant(page).getByRole('button', { name: 'Back to “How many panels are there?”' }).last().click();
      await expect(conversation(page)).toContainText('Four panels, the subagent says.');
      expect(JSON.stringify(model.requests.at(-1)!.messages)).not.toContain('get_workspace_state');

      await page.reload();
      await expect(conversation(page).getByRole('button', { name: 'Show subagent' })).toBeVisible();
      await expect(conversation(page)).toContainText('1 call');
    },
  );
});

test('stopping a subagent’s card stops only the subagent', async ({ page }) => {
  const never = gate();
  await withModel(
    [runSubagent('Wait for ever'), { text: 'Waiting', until: never.until }, { text: 'Then without it.' }],
    async (sextant) => {
      await page.goto(sextant.window());
      await sendMessage(page, 'Try it');
      const card = conversation(page).getByRole('group').filter({ hasText: 'Subagent: Wait for ever' });
      await expect(card).toContainText('Thinking');
      await card.getByRole('button', { name: 'Stop this call' }).click();
      await expect(conversation(page)).toContainText('Stopped by you');
      await expect(conversation(page)).toContainText('Then without it.');
    },
  );
});
