import { describe, expect, it } from 'vitest';
import { t } from '.';

const files = Object.values(import.meta.glob<Record<string, Record<string, string>>>('./en*.ts', { eager: true }));
const all = files.flatMap((file) => Object.values(file)).flatMap((messages) => Object.entries(messages));

describe('the messages', () => {
  it('fills in values and plurals', () => {
    expect(t('status.mcp.some', { on: 3, n: 4 })).toBe('MCP 3 of 4');
    expect(t('bar.waiting', { n: 1 })).toBe('1 question waiting');
    expect(t('bar.waiting', { n: 2 })).toBe('2 questions waiting');
  });
  it('does not fill in placeholders inside a value', () => {
    expect(t('approval.answered.once', { question: 'send {n}' })).toBe('You allowed once: send {n}');
  });
  it('contains no exclamation marks, apologies or other banned words', () => {
    for (const [key, text] of all) {
      expect(text, key).not.toMatch(/!|\bplease\b|\bsorry\b|\boops\b|\bAI\b|—/i);
    }
  });
});

it('no text is in two files, where one would replace the other', () => {
  const files = import.meta.glob<string>('./en*.ts', { query: '?raw', import: 'default', eager: true });
  const keys = Object.values(files).flatMap((text) =>
    [...text.matchAll(/^ {2}'([^']+)':/gm)].map((match) => match[1]!),
  );
  expect(keys.length).toBeGreaterThan(500);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});
