import { beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot, StoredEvent } from '../../shared/api/types';
import { reduce } from './reducer';
import { emptyState, type AppState, type Item } from './state';

let state: AppState;
let seq: number;

function hear(kind: string, data: unknown, more: Partial<StoredEvent> = {}): void {
  reduce(state, { is: 'event', event: event(kind, data, more) });
}
function event(kind: string, data: unknown, more: Partial<StoredEvent> = {}): StoredEvent {
  return { seq: ++seq, kind, time: '2026-01-02T03:04:05Z', conversation: 'c', turn: 't', data, ...more };
}
const conversation = { id: 'c', title: 'One', status: 'done' as const, created: '1', updated: '1' };
const usage = { input: 0, output: 0 };
const items = (): Item[] => state.threads.c?.items ?? [];
const started = (call: string) =>
  hear(
    'call.started',
    { tool: 'bash', args: {}, origin: 'baseline', sentence: 'Counting', caller: 'model', timeout_ms: 30000 },
    { call },
  );
const ended = (call: string, more: object = {}) =>
  hear('call.ended', { tool: 'bash', status: 'done', duration_ms: 5, sentence: 'Counted', ...more }, { call });

beforeEach(() => {
  state = emptyState();
  seq = 0;
  reduce(state, { is: 'transcript', transcript: { seq: 0, conversation, events: [] }, missed: [] });
});

describe('a conversation', () => {
  it('grows by deltas and is corrected by the whole message', () => {
    hear('text.delta', { message: 'm', text: 'Hel' });
    hear('text.delta', { message: 'm', text: 'lo' });
    expect(items()).toMatchObject([{ kind: 'say', text: 'Hello', done: false }]);
    hear('message.added', {
      id: 'm',
      role: 'assistant',
      text: 'Hello.',
      status: 'done',
      time: '',
      turn: 't',
      conversation: 'c',
    });
    expect(items()).toMatchObject([{ kind: 'say', text: 'Hello.', done: true }]);
  });
  it('shows what a model thinks before it answers, and for how long it did', () => {
    hear('thought.delta', { message: 'm', text: 'Two ' }, { time: '2026-01-01T10:00:00Z' });
    hear('thought.delta', { message: 'm', text: 'shops.' }, { time: '2026-01-01T10:00:01Z' });
    expect(items()).toMatchObject([{ kind: 'thought', text: 'Two shops.', ms: null }]);
    hear('text.delta', { message: 'm', text: 'The first.' }, { time: '2026-01-01T10:00:03Z' });
    hear('thought.delta', { message: 'm', text: 'Or not?' }, { time: '2026-01-01T10:00:04Z' });
    hear('turn.ended', { id: 't', status: 'stopped', usage }, { time: '2026-01-01T10:00:06Z' });
    expect(items()).toMatchObject([
      { kind: 'thought', text: 'Two shops.', ms: 3000 },
      { kind: 'say', text: 'The first.' },
      { kind: 'thought', text: 'Or not?', ms: 2000 },
      { kind: 'end' },
    ]);
  });
  it('tells what is done about an answer that is waited for', () => {
    hear('turn.noted', { message: 'm', text: 'It is busy. Trying again in 2s, 1 of 2.' });
    hear('text.delta', { message: 'm', text: 'Here' });
    expect(items()).toMatchObject([
      { kind: 'note', text: 'It is busy. Trying again in 2s, 1 of 2.' },
      { kind: 'say', text: 'Here' },
    ]);
  });
  it('shows a summary as its own row, and whether it is sent', () => {
    const summary = { id: 's', role: 'summary', text: 'Summed up.', time: '', turn: 't', conversation: 'c' };
    hear('message.added', { ...summary, status: 'done', outside: ['https://a.example'] });
    expect(items()).toMatchObject([{ kind: 'sum', text: 'Summed up.', used: true }]);
    hear('message.added', { ...summary, status: 'stopped' });
    expect(items()).toMatchObject([{ kind: 'sum', used: false }]);
    hear('message.added', { ...summary, id: 'n', role: 'note', status: 'done' });
    expect(items()).toHaveLength(1);
  });
  it('hears every event once, however often it comes', () => {
    const delta = event('text.delta', { message: 'm', text: 'x' });
    reduce(state, { is: 'event', event: delta });
    reduce(state, { is: 'event', event: delta });
    expect(items()).toMatchObject([{ text: 'x' }]);
  });
  it('is the same from its stored events as it was live', () => {
    const all = [
      event('message.added', {
        id: 'u',
        role: 'user',
        text: 'go',
        status: 'done',
        time: '',
        turn: 't',
        conversation: 'c',
      }),
      event('turn.started', { id: 't', status: 'running', usage }),
      event(
        'call.started',
        { tool: 'bash', args: {}, origin: 'baseline', sentence: 's', caller: 'model', timeout_ms: 1 },
        { call: 'k' },
      ),
      event(
        'call.ended',
        { tool: 'bash', status: 'done', duration_ms: 5, sentence: 'S', sources: ['https://a.example'] },
        { call: 'k' },
      ),
      event('text.delta', { message: 'm', text: 'done' }),
      event('turn.ended', { id: 't', status: 'done', usage: { input: 3, output: 4 } }),
    ];
    for (const one of all) reduce(state, { is: 'event', event: one });
    const live = JSON.stringify(state.threads.c);
    reduce(state, { is: 'transcript', transcript: { seq, conversation, events: all }, missed: all });
    expect(JSON.stringify(state.threads.c)).toBe(live);
    expect(state.threads.c).toMatchObject({ tokens: 7, outside: ['https://a.example'], turn: null });
  });
  it('takes what arrived while it was being read, and only that', () => {
    const before = event('text.delta', { message: 'm', text: 'a' });
    const after = event('text.delta', { message: 'm', text: 'b' });
    reduce(state, {
      is: 'transcript',
      transcript: { seq: before.seq, conversation, events: [before] },
      missed: [before, after],
    });
    expect(items()).toMatchObject([{ text: 'ab' }]);
  });
  it('leaves others alone', () => {
    hear('text.delta', { message: 'm', text: 'x' }, { conversation: 'other' });
    expect(items()).toEqual([]);
  });
  it('keeps an answered question as a line with its wording', () => {
    hear(
      'approval.asked',
      {
        id: 'a',
        call: 'k',
        tool: 'bash',
        args: {},
        question: 'Run it?',
        does: '',
        why: '',
        hash: '',
        choices: [],
        asked: '',
      },
      { call: 'k' },
    );
    expect(state.approvals).toHaveLength(1);
    hear('approval.answered', { id: 'a', call: 'k', answer: 'once' }, { call: 'k' });
    expect(state.approvals).toEqual([]);
    expect(items().at(-1)).toMatchObject({
      kind: 'answer',
      approval: { question: 'Run it?' },
      answer: { answer: 'once' },
    });
  });
  it('tells how a turn failed', () => {
    hear('turn.started', { id: 't', status: 'running', usage });
    hear('turn.ended', { id: 't', status: 'failed', error: 'no answer', usage });
    expect(state.threads.c?.turn).toBeNull();
    expect(state.conversations[0]?.status).toBe('failed');
    expect(items()).toMatchObject([{ kind: 'end', turn: { status: 'failed', error: 'no answer' } }]);
  });
  it('is shared from when that is told, and nothing older changes it', () => {
    const told = { ...state.conversations[0]! };
    hear('conversation.shared', { id: 'c', shared: true });
    hear('conversation.updated', { ...told, title: 'Lamps' });
    expect(state.conversations[0]).toMatchObject({ title: 'Lamps', shared: true });
    hear('conversation.shared', { id: 'c', shared: false });
    hear('conversation.updated', { ...told, shared: true });
    expect(state.conversations[0]?.shared).toBe(false);
  });
  it('is gone when it was deleted', () => {
    hear('conversation.deleted', { id: 'c' });
    expect(state.conversations).toEqual([]);
    expect(state.threads.c).toBeUndefined();
  });
});

describe('a call', () => {
  it('runs, streams and ends', () => {
    started('k');
    hear('call.output', { stream: 'stdout', text: 'one\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({ status: 'running', sentence: 'Counting', live: 'one\n' });
    ended('k', { preview: ['2 words'] });
    expect(state.calls.k).toMatchObject({ status: 'done', sentence: 'Counted', durationMs: 5, preview: ['2 words'] });
    expect(items()).toEqual([{ kind: 'call', id: 'k', turn: 't' }]);
  });
  it('says how far it is: the newest percentage stands for those before it', () => {
    started('k');
    hear('call.output', { stream: 'stdout', text: '5% of it is mine\n' }, { call: 'k' });
    expect(state.calls.k?.share).toBeNull();
    hear('call.output', { stream: 'progress', text: 'Gathering\n' }, { call: 'k' });
    hear('call.output', { stream: 'progress', text: '20% · one\n40% · two\n' }, { call: 'k' });
    hear('call.output', { stream: 'progress', text: '60% · three\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({ share: 60, live: '5% of it is mine\nGathering\n60% · three\n' });
    hear('call.output', { stream: 'progress', text: 'Writing\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({ share: 60, live: '5% of it is mine\nGathering\n60% · three\nWriting\n' });
  });
  it('keeps a bounded end of its output', () => {
    started('k');
    for (let i = 0; i < 50; i++) hear('call.output', { stream: 'stdout', text: 'x'.repeat(1000) }, { call: 'k' });
    hear('call.output', { stream: 'stdout', text: 'last' }, { call: 'k' });
    expect(state.calls.k?.live.length).toBeLessThanOrEqual(32_768);
    expect(state.calls.k?.live.endsWith('last')).toBe(true);
  });
  it('stands first in the activity list, and the audit log adds older ones below', () => {
    started('new');
    const row = {
      id: 'old',
      tool: 'bash',
      origin: 'baseline' as const,
      caller: 'person' as const,
      args: {},
      status: 'done',
      sentence: 'Did',
      decision: 'allowed',
      started: '2025-01-01T00:00:00Z',
      duration_ms: 1,
    };
    reduce(state, { is: 'calls', rows: [row] });
    expect(state.activity).toEqual(['new', 'old']);
    expect(state.calls.old).toMatchObject({ status: 'done', decision: 'allowed' });
  });
});

describe('the state', () => {
  it('takes a snapshot whose lists are null', () => {
    const snapshot = {
      seq: 4,
      panels: null,
      approvals: null,
      conversations: null,
      mcp: null,
      models: null,
      settings: null,
      banners: null,
      browser: { status: 'ready', tabs: null, active: 0 },
    };
    reduce(state, { is: 'snapshot', snapshot: snapshot as unknown as Snapshot, again: false });
    expect(state).toMatchObject({ seq: 4, panels: [], approvals: [], browser: { tabs: [] } });
  });
  it('keeps its number after a reconnect, so that missed events still come', () => {
    hear('catalogue.changed', {});
    const snapshot = { seq: 99, browser: { status: 'ready', tabs: [], active: 0 } };
    reduce(state, { is: 'snapshot', snapshot: snapshot as unknown as Snapshot, again: true });
    expect(state.seq).toBe(1);
  });
  it('shows the end of a turn that a full disk did not take, and counts it once when it is stored', () => {
    hear('turn.started', { id: 't', status: 'running', usage });
    const end = { id: 't', status: 'failed', error: 'Full.', usage: { input: 5, output: 2 } };
    hear('disk.changed', { level: 'full', folder: '/data', free: 0 }, { seq: 0, conversation: '' });
    hear('turn.ended', end, { seq: 0 });
    expect(state.disk).toEqual({ level: 'full', folder: '/data', free: 0 });
    expect(state.threads.c).toMatchObject({ turn: null, tokens: 7 });
    hear('turn.ended', end);
    expect(state.threads.c?.tokens).toBe(7);
    expect(items().filter((item) => item.kind === 'end')).toHaveLength(1);
  });
  it('takes live events, which have no number, every time', () => {
    const live = { seq: 0, conversation: '' };
    const marks = {
      page: { tab: 1, url: '', title: '', version: 1 },
      elements: null,
      above: 0,
      below: 0,
      width: 1,
      height: 1,
      settled_ms: 1,
      on: true,
    };
    hear('marks.changed', marks, live);
    hear('marks.changed', marks, live);
    expect(state.marksRevision).toBe(2);
    expect(state.marks?.elements).toEqual([]);
  });
});

describe('a call that is the doing of another', () => {
  it('stands on the card of that one, also when it is asked about first', () => {
    started('outer');
    hear(
      'approval.asked',
      { id: 'q', call: 'inner', within: 'outer', tool: 'bash', args: {}, does: 'Run it' },
      { call: 'inner' },
    );
    hear(
      'call.started',
      {
        tool: 'bash',
        args: {},
        origin: 'baseline',
        sentence: 'Running',
        caller: 'model',
        timeout_ms: 1,
        within: 'outer',
      },
      { call: 'inner' },
    );
    ended('inner');
    ended('outer');
    expect(items().filter((item) => item.kind === 'call')).toMatchObject([{ id: 'outer' }]);
    expect(state.calls.outer?.inner).toBe('inner');
    expect(state.calls.inner?.status).toBe('done');
  });
  it('has a card of its own where the other one has none', () => {
    hear(
      'call.started',
      {
        tool: 'bash',
        args: {},
        origin: 'baseline',
        sentence: 'Running',
        caller: 'model',
        timeout_ms: 1,
        within: 'gone',
      },
      { call: 'inner' },
    );
    expect(items()).toMatchObject([{ kind: 'call', id: 'inner' }]);
  });
});
