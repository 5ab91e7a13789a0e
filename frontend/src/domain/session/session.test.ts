import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../shared/api/backend';
import type { Snapshot } from '../../shared/api/types';
import { BackendError } from '../../shared/api/client';
import type { SocketHandlers } from '../../shared/api/socket';
import { Store } from '../store/store.svelte';
import { Session } from './session.svelte';

const snapshot = { seq: 5, browser: { status: 'ready', tabs: [], active: 0 } } as unknown as Snapshot;

/** Returns the part of a Backend that a session needs, with sockets that the test controls. */
function program() {
  const sockets: { after: number; handlers: SocketHandlers }[] = [];
  const backend = {
    failing: null as BackendError | null,
    state: async () => {
      if (backend.failing) throw backend.failing;
      return snapshot;
    },
    connect: (after: number, handlers: SocketHandlers) => {
      sockets.push({ after, handlers });
      return { send: () => {}, close: () => {} };
    },
  };
  return { backend, sockets, session: new Session(backend as unknown as Backend, new Store()) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the connection to the program', () => {
  it('connects from the sequence number of the state', async () => {
    const { session, sockets } = program();
    await session.start();
    expect(session.phase).toBe('ready');
    sockets[0]?.handlers.hello(5);
    expect(sockets[0]?.after).toBe(5);
    expect(session.connected).toBe(true);
  });
  it('requests missed events after a loss, with growing delays', async () => {
    const { session, sockets } = program();
    await session.start();
    sockets[0]?.handlers.hello(5);
    const event = { seq: 8, kind: 'catalogue.changed' as const, time: '', data: {} };
    sockets[0]?.handlers.event(event);
    sockets[0]?.handlers.closed();
    expect(session.connected).toBe(false);
    expect(session.retryIn).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sockets[1]?.after).toBe(8);
    sockets[1]?.handlers.closed();
    expect(session.retryIn).toBe(2);
    session.stop();
  });
  it('reconnects at once on retryNow', async () => {
    const { session, sockets } = program();
    await session.start();
    sockets[0]?.handlers.closed();
    session.retryNow();
    expect(sockets).toHaveLength(2);
    session.stop();
  });
  it('gives up when its token is refused', async () => {
    const { session, backend, sockets } = program();
    await session.start();
    backend.failing = new BackendError(401, 'no', '');
    sockets[0]?.handlers.closed();
    await vi.advanceTimersByTimeAsync(0);
    expect(session.phase).toBe('refused');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
  });
  it('retries while the program does not answer', async () => {
    const { session, backend } = program();
    backend.failing = new BackendError(0, 'no', '');
    await session.start();
    expect(session.phase).toBe('gone');
    backend.failing = null;
    await vi.advanceTimersByTimeAsync(1000);
    expect(session.phase).toBe('ready');
    session.stop();
  });
});
