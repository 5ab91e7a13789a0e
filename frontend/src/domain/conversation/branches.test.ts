import { beforeEach, describe, expect, it } from 'vitest';
import type { EventKind, StoredEvent } from '../../shared/api/types';
import { reduce } from '../store/reducer';
import { emptyState, type AppState, type Item, type TranscriptView } from '../store/state';
import { forksOf, questionOf, shownItems, shownSources } from './branches';

let state: AppState;
let all: StoredEvent[];

const conversation = { id: 'c', title: 'One', status: 'done' as const, created: '1', updated: '1' };

function apply(kind: EventKind, data: unknown, turn = '', call = ''): void {
  const place = { time: '2026-01-02T03:04:05Z', conversation: 'c', turn, call };
  const event = { seq: all.length + 1, kind, ...place, data } as StoredEvent;
  all.push(event);
  reduce(state, { kind: 'event', event });
}
const usage = { input: 0, output: 0 };
/** Adds a turn with the answer `answer` to the message `me`, which is added unless it exists. */
function turn(id: string, me: string, answer: string, calls: { readOnly?: boolean; changed?: string[] }[] = []): void {
  const message = { turn: id, conversation: 'c', status: 'done', time: '' };
  if (me) apply('message.added', { ...message, id: me, role: 'user', text: me }, id);
  apply('turn.started', { id, status: 'running', usage }, id);
  calls.forEach(({ readOnly, changed }, i) => {
    const call = `${id}-${i}`;
    apply(
      'call.started',
      { tool: 'x', args: {}, origin: 'baseline', sentence: '', caller: 'model', looks: readOnly },
      id,
      call,
    );
    apply('call.ended', { tool: 'x', status: 'done', sentence: '', sources: [`from ${id}`], changed }, id, call);
  });
  if (answer) apply('message.added', { ...message, id: answer, role: 'assistant', text: answer }, id);
  apply('turn.ended', { id, status: answer ? 'done' : 'failed', usage }, id);
}
const begin = (id: string, turn: string, data: { after?: string; instead?: string }) =>
  apply('branch.started', { id, ...data }, turn);
const choose = (id: string) => apply('branch.chosen', { id });

const transcript = (): TranscriptView => state.transcripts.c!;
const name = (item: Item) => (item.kind === 'turnEnd' ? `/${item.id}` : item.id);
const shown = () => shownItems(transcript()).map(name).join(' ');
const forks = () =>
  forksOf(transcript(), state.calls).map(({ first, alternatives, at, effects }) =>
    [name(first), `${at + 1}/${alternatives.length}`, alternatives.map((branch) => branch || '-').join(','), effects]
      .join(' ')
      .trim(),
  );

beforeEach(() => {
  state = emptyState();
  all = [];
  reduce(state, { kind: 'transcript', transcript: { seq: 0, conversation, events: [] }, missed: [] });
});

describe('branches', () => {
  it('show the shared items and those of the active branch', () => {
    turn('t1', 'm1', 'a1');
    turn('t2', 'm2', 'a2');
    expect(forks()).toEqual([]);
    begin('b1', 't3', { after: 'a1', instead: 'm2' });
    turn('t3', 'n2', 'b2');
    expect(shown()).toBe('m1 a1 /t1 n2 b2 /t3');
    expect(forks()).toEqual(['n2 2/2 -,b1']);
    choose('');
    expect(shown()).toBe('m1 a1 /t1 m2 a2 /t2');
    expect(forks()).toEqual(['m2 1/2 -,b1']);
    turn('t4', 'm3', 'a3');
    choose('b1');
    expect(shown()).toBe('m1 a1 /t1 n2 b2 /t3');
  });

  it('are alternatives when the same question is answered again', () => {
    turn('t1', 'm1', 'a1');
    begin('r1', 't2', { after: 'm1' });
    turn('t2', '', 'a2');
    begin('r2', 't3', { after: 'm1' });
    turn('t3', '', '');
    expect(shown()).toBe('m1 /t3');
    expect(forks()).toEqual(['/t3 3/3 -,r1,r2']);
    choose('r1');
    expect(forks()).toEqual(['a2 2/3 -,r1,r2']);
    expect(questionOf(shownItems(transcript()), 't2')?.id).toBe('m1');
  });

  it('are alternatives of the edited message, however often it was edited', () => {
    turn('t1', 'm1', 'a1');
    begin('b1', 't2', { instead: 'm1' });
    turn('t2', 'n1', 'b1');
    begin('b2', 't3', { instead: 'n1' });
    turn('t3', 'o1', 'c1');
    expect(shown()).toBe('o1 c1 /t3');
    expect(forks()).toEqual(['o1 3/3 -,b1,b2']);
  });

  it('lead to the most recently used branch', () => {
    turn('t1', 'm1', 'a1');
    turn('t2', 'm2', 'a2');
    begin('b1', 't3', { after: 'a1', instead: 'm2' }); // inside the first continuation
    turn('t3', 'n2', 'b2');
    begin('b2', 't4', { instead: 'm1' });
    turn('t4', 'o1', 'c1');
    expect(forks()).toEqual(['o1 2/2 b1,b2']);
    choose('b1');
    expect(forks()).toEqual(['m1 1/2 b1,b2', 'n2 2/2 -,b1']);
    choose('');
    expect(forks()).toEqual(['m1 1/2 -,b2', 'm2 1/2 -,b1']);
  });

  it('start in the middle of a steered turn, and after a turn without an answer', () => {
    turn('t1', 'm1', '');
    turn('t2', 'm2', 'a2');
    begin('r', 't3', { after: 'm1' });
    turn('t3', '', 'a3');
    expect(shown()).toBe('m1 a3 /t3');
    choose('');
    expect(forks()).toEqual(['/t1 1/2 -,r']);
    begin('b', 't4', { after: 'm1', instead: 'm2' });
    turn('t4', 'n2', 'b2');
    expect(shown()).toBe('m1 /t1 n2 b2 /t4');
    expect(forks()).toEqual(['/t1 1/2 b,r', 'n2 2/2 -,b']);
  });

  it('report the effects of the other branches', () => {
    turn('t1', 'm1', 'a1', [{ readOnly: true }]);
    begin('b1', 't2', { instead: 'm1' });
    turn('t2', 'n1', 'b1', [{ readOnly: true }]);
    expect(forks()).toEqual(['n1 2/2 -,b1']);
    turn('t3', 'n2', 'b2', [{}]);
    expect(forks()).toEqual(['n1 2/2 -,b1']);
    choose('');
    expect(forks()).toEqual(['m1 1/2 -,b1 done']);
    choose('b1');
    turn('t4', 'n3', 'b3', [{ changed: ['/a'] }]);
    choose('');
    expect(forks()).toEqual(['m1 1/2 -,b1 files']);
  });

  it('have only their own sources of outside text', () => {
    turn('t1', 'm1', 'a1', [{ readOnly: true }]);
    turn('t2', 'm2', 'a2', [{ readOnly: true }]);
    expect(shownSources(transcript())).toEqual(['from t1', 'from t2']);
    begin('b1', 't3', { after: 'a1', instead: 'm2' });
    turn('t3', 'n2', 'b2');
    expect(shownSources(transcript())).toEqual(['from t1']);
  });

  it('are the same from stored as from live events', () => {
    turn('t1', 'm1', 'a1');
    begin('b1', 't2', { instead: 'm1' });
    turn('t2', 'n1', 'b1');
    choose('');
    const live = JSON.stringify(transcript());
    reduce(state, { kind: 'transcript', transcript: { seq: all.length, conversation, events: all }, missed: all });
    expect(JSON.stringify(transcript())).toBe(live);
  });

  it('are the same when the conversation is loaded in parts', () => {
    turn('t1', 'm1', 'a1');
    turn('t2', 'm2', 'a2');
    const split = all.length;
    turn('t3', 'm3', 'a3', [{ readOnly: true }]);
    begin('b1', 't4', { after: 'a2', instead: 'm3' });
    turn('t4', 'n3', 'b3');
    const live = { shown: shown(), forks: forks(), sources: shownSources(transcript()) };
    const { branches } = transcript();
    const part = (events: StoredEvent[], from: number) => ({
      seq: all.length,
      conversation,
      events,
      part: { from, until: 0, branch: '', branches, earlier_sources: [], waiting: [] },
    });
    reduce(state, { kind: 'transcript', transcript: part(all.slice(split), split + 1), missed: [] });
    expect(shown()).toBe('n3 b3 /t4');
    expect(forks()).toEqual(live.forks);
    reduce(state, { kind: 'transcript', transcript: part(all.slice(0, split), 0), missed: [], extend: true });
    expect({ shown: shown(), forks: forks(), sources: shownSources(transcript()) }).toEqual(live);
  });

  it('outdate a part that begins after the fork', () => {
    turn('t1', 'm1', 'a1');
    turn('t2', 'm2', 'a2');
    begin('b1', 't3', { instead: 'm1' });
    turn('t3', 'n1', 'b1');
    const { branches } = transcript();
    const place = { from: 6, until: 0, branch: '', branches, earlier_sources: [], waiting: [] };
    const tail = { seq: all.length, conversation, events: all.slice(5), part: place };
    reduce(state, { kind: 'transcript', transcript: tail, missed: [] });
    const loaded = transcript().outdated;
    choose('');
    expect([loaded, transcript().outdated]).toEqual([false, true]);
  });
});
