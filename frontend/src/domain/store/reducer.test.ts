import { beforeEach, describe, expect, it } from 'vitest';
import type { EventKind, Snapshot, StoredEvent } from '../../shared/api/types';
import { reduce } from './reducer';
import { emptyState, type AppState, type Item } from './state';

let state: AppState;
let seq: number;

function apply(kind: EventKind, data: unknown, more: Partial<StoredEvent> = {}): void {
  reduce(state, { kind: 'event', event: event(kind, data, more) });
}
/** Returns an event with only the data that a test needs. */
function event(kind: EventKind, data: unknown, more: Partial<StoredEvent> = {}): StoredEvent {
  const place = { time: '2026-01-02T03:04:05Z', conversation: 'c', turn: 't' };
  return { seq: ++seq, kind, ...place, data, ...more } as StoredEvent;
}
const conversation = { id: 'c', title: 'One', status: 'done' as const, created: '1', updated: '1' };
const usage = { input: 0, output: 0 };
const items = (): Item[] => state.transcripts.c?.items ?? [];
const started = (call: string) =>
  apply(
    'call.started',
    { tool: 'bash', args: {}, origin: 'baseline', sentence: 'Counting', caller: 'model', timeout_ms: 30000 },
    { call },
  );
const ended = (call: string, more: object = {}) =>
  apply('call.ended', { tool: 'bash', status: 'done', duration_ms: 5, sentence: 'Counted', ...more }, { call });

beforeEach(() => {
  state = emptyState();
  seq = 0;
  reduce(state, { kind: 'transcript', transcript: { seq: 0, conversation, events: [] }, missed: [] });
});

describe('a conversation', () => {
  it('appends deltas and replaces them by the whole message', () => {
    apply('text.delta', { message: 'm', text: 'Hel' });
    apply('text.delta', { message: 'm', text: 'lo' });
    expect(items()).toMatchObject([{ kind: 'assistant', text: 'Hello', done: false }]);
    apply('message.added', {
      id: 'm',
      role: 'assistant',
      text: 'Hello.',
      status: 'done',
      time: '',
      turn: 't',
      conversation: 'c',
    });
    expect(items()).toMatchObject([{ kind: 'assistant', text: 'Hello.', done: true }]);
  });
  it('shows reasoning and its duration', () => {
    apply('thought.delta', { message: 'm', text: 'Two ' }, { time: '2026-01-01T10:00:00Z' });
    apply('thought.delta', { message: 'm', text: 'shops.' }, { time: '2026-01-01T10:00:01Z' });
    expect(items()).toMatchObject([{ kind: 'reasoning', text: 'Two shops.', ms: null }]);
    apply('text.delta', { message: 'm', text: 'The first.' }, { time: '2026-01-01T10:00:03Z' });
    apply('thought.delta', { message: 'm', text: 'Or not?' }, { time: '2026-01-01T10:00:04Z' });
    apply('turn.ended', { id: 't', status: 'stopped', usage }, { time: '2026-01-01T10:00:06Z' });
    expect(items()).toMatchObject([
      { kind: 'reasoning', text: 'Two shops.', ms: 3000 },
      { kind: 'assistant', text: 'The first.' },
      { kind: 'reasoning', text: 'Or not?', ms: 2000 },
      { kind: 'turnEnd' },
    ]);
  });
  it('shows a note about a late answer until it comes', () => {
    apply('turn.noted', { message: 'm', text: 'It is busy. Trying again in 2s, 1 of 2.' });
    apply('text.delta', { message: 'm', text: 'Here' });
    expect(items()).toMatchObject([
      { kind: 'note', text: 'It is busy. Trying again in 2s, 1 of 2.' },
      { kind: 'assistant', text: 'Here' },
    ]);
  });
  it('shows a summary as a row, with its use', () => {
    const summary = { id: 's', role: 'summary', text: 'Summed up.', time: '', turn: 't', conversation: 'c' };
    apply('message.added', { ...summary, status: 'done', outside: ['https://a.example'] });
    expect(items()).toMatchObject([{ kind: 'summary', text: 'Summed up.', used: true }]);
    apply('message.added', { ...summary, status: 'stopped' });
    expect(items()).toMatchObject([{ kind: 'summary', used: false }]);
    apply('message.added', { ...summary, id: 'n', role: 'note', status: 'done' });
    expect(items()).toHaveLength(1);
  });
  it('applies a repeated event once', () => {
    const delta = event('text.delta', { message: 'm', text: 'x' });
    reduce(state, { kind: 'event', event: delta });
    reduce(state, { kind: 'event', event: delta });
    expect(items()).toMatchObject([{ text: 'x' }]);
  });
  it('is the same from stored as from live events', () => {
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
    for (const one of all) reduce(state, { kind: 'event', event: one });
    const live = JSON.stringify(state.transcripts.c);
    reduce(state, { kind: 'transcript', transcript: { seq, conversation, events: all }, missed: all });
    expect(JSON.stringify(state.transcripts.c)).toBe(live);
    expect(state.transcripts.c).toMatchObject({ turn: null, sources: { t: ['https://a.example'] } });
  });
  it('applies only the newer ones of the events that arrived while it loaded', () => {
    const before = event('text.delta', { message: 'm', text: 'a' });
    const after = event('text.delta', { message: 'm', text: 'b' });
    reduce(state, {
      kind: 'transcript',
      transcript: { seq: before.seq, conversation, events: [before] },
      missed: [before, after],
    });
    expect(items()).toMatchObject([{ text: 'ab' }]);
  });
  it('ignores events of other conversations', () => {
    apply('text.delta', { message: 'm', text: 'x' }, { conversation: 'other' });
    expect(items()).toEqual([]);
  });
  it('shows an answered approval as a line with its wording', () => {
    apply(
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
    apply('approval.answered', { id: 'a', call: 'k', answer: 'once' }, { call: 'k' });
    expect(state.approvals).toEqual([]);
    expect(items().at(-1)).toMatchObject({
      kind: 'approval',
      approval: { question: 'Run it?' },
      answer: { answer: 'once' },
    });
  });
  it('shows why a turn failed', () => {
    apply('turn.started', { id: 't', status: 'running', usage });
    apply('turn.ended', { id: 't', status: 'failed', error: 'no answer', usage });
    expect(state.transcripts.c?.turn).toBeNull();
    expect(state.conversations[0]?.status).toBe('failed');
    expect(items()).toMatchObject([{ kind: 'turnEnd', turn: { status: 'failed', error: 'no answer' } }]);
  });
  it('changes sharing by conversation.shared only', () => {
    const older = { ...state.conversations[0]! };
    apply('conversation.shared', { id: 'c', shared: true });
    apply('conversation.updated', { ...older, title: 'Lamps' });
    expect(state.conversations[0]).toMatchObject({ title: 'Lamps', shared: true });
    apply('conversation.shared', { id: 'c', shared: false });
    apply('conversation.updated', { ...older, shared: true });
    expect(state.conversations[0]?.shared).toBe(false);
  });
  it('is removed when it is deleted', () => {
    apply('conversation.deleted', { id: 'c' });
    expect(state.conversations).toEqual([]);
    expect(state.transcripts.c).toBeUndefined();
  });
});

describe('a call', () => {
  it('runs, streams and ends', () => {
    started('k');
    apply('call.output', { stream: 'stdout', text: 'one\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({ status: 'running', sentence: 'Counting', liveOutput: 'one\n' });
    ended('k', { preview: ['2 words'] });
    expect(state.calls.k).toMatchObject({ status: 'done', sentence: 'Counted', durationMs: 5, preview: ['2 words'] });
    expect(items()).toMatchObject([{ kind: 'call', id: 'k', turn: 't' }]);
  });
  it('replaces earlier percentages by the newest', () => {
    started('k');
    apply('call.output', { stream: 'stdout', text: '5% of it is mine\n' }, { call: 'k' });
    expect(state.calls.k?.progress).toBeNull();
    apply('call.output', { stream: 'progress', text: 'Gathering\n' }, { call: 'k' });
    apply('call.output', { stream: 'progress', text: '20% · one\n40% · two\n' }, { call: 'k' });
    apply('call.output', { stream: 'progress', text: '60% · three\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({ progress: 60, liveOutput: '5% of it is mine\nGathering\n60% · three\n' });
    apply('call.output', { stream: 'progress', text: 'Writing\n' }, { call: 'k' });
    expect(state.calls.k).toMatchObject({
      progress: 60,
      liveOutput: '5% of it is mine\nGathering\n60% · three\nWriting\n',
    });
  });
  it('keeps the end of long output', () => {
    started('k');
    for (let i = 0; i < 50; i++) apply('call.output', { stream: 'stdout', text: 'x'.repeat(1000) }, { call: 'k' });
    apply('call.output', { stream: 'stdout', text: 'last' }, { call: 'k' });
    expect(state.calls.k?.liveOutput.length).toBeLessThanOrEqual(32_768);
    expect(state.calls.k?.liveOutput.endsWith('last')).toBe(true);
  });
  it('comes first in the activity list, with older calls of the audit log below', () => {
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
    reduce(state, { kind: 'calls', rows: [row] });
    expect(state.activity).toEqual(['new', 'old']);
    expect(state.calls.old).toMatchObject({ status: 'done', decision: 'allowed' });
  });
});

describe('the state', () => {
  it('accepts a snapshot with null lists', () => {
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
    reduce(state, { kind: 'snapshot', snapshot: snapshot as unknown as Snapshot, again: false });
    expect(state).toMatchObject({ seq: 4, panels: [], approvals: [], browser: { tabs: [] } });
  });
  it('keeps its sequence number after a reconnect, so that missed events still come', () => {
    apply('catalogue.changed', {});
    const snapshot = { seq: 99, browser: { status: 'ready', tabs: [], active: 0 } };
    reduce(state, { kind: 'snapshot', snapshot: snapshot as unknown as Snapshot, again: true });
    expect(state.seq).toBe(1);
  });
  it('shows the end of a turn once when a full disk delays its storing', () => {
    apply('turn.started', { id: 't', status: 'running', usage });
    const end = { id: 't', status: 'failed', error: 'Full.', usage: { input: 5, output: 2 } };
    apply('disk.changed', { level: 'full', folder: '/data', free: 0 }, { seq: 0, conversation: '' });
    apply('turn.ended', end, { seq: 0 });
    expect(state.disk).toEqual({ level: 'full', folder: '/data', free: 0 });
    expect(state.transcripts.c).toMatchObject({ turn: null });
    apply('turn.ended', end);
    expect(items().filter((item) => item.kind === 'turnEnd')).toHaveLength(1);
  });
  it('applies events without a sequence number every time', () => {
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
    apply('marks.changed', marks, live);
    apply('marks.changed', marks, live);
    expect(state.marksRevision).toBe(2);
    expect(state.marks?.elements).toEqual([]);
  });
});

describe('a call that another call makes', () => {
  it('is shown on the outer call’s card, even when its approval comes first', () => {
    started('outer');
    apply(
      'approval.asked',
      { id: 'q', call: 'inner', within: 'outer', tool: 'bash', args: {}, does: 'Run it' },
      { call: 'inner' },
    );
    apply(
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
    expect(state.calls.outer?.innerCall).toBe('inner');
    expect(state.calls.inner?.status).toBe('done');
  });
  it('has its own card when the outer call has none', () => {
    apply(
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
