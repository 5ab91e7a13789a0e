import { describe, expect, it } from 'vitest';
import { actAsAssistant, assistantIsActing, requestsSettled, trackRequest } from './assistantaction';

const moment = () => new Promise((done) => setTimeout(done));

describe('an action of the assistant', () => {
  it('counts while it runs and in its microtasks, but not later', async () => {
    expect(assistantIsActing()).toBe(false);
    let later = false;
    actAsAssistant(() => {
      expect(assistantIsActing()).toBe(true);
      void Promise.resolve().then(() => (later = assistantIsActing()));
    });
    await moment();
    expect(later).toBe(true);
    await moment();
    expect(assistantIsActing()).toBe(false);
  });

  it('ends when it throws', async () => {
    expect(() =>
      actAsAssistant(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    await moment();
    await moment();
    expect(assistantIsActing()).toBe(false);
  });

  it('waits for its requests, including failed ones', async () => {
    let end = (_: string) => {};
    const request = trackRequest(new Promise<string>((done) => (end = done)));
    const failed = trackRequest(Promise.reject(new Error('no')));
    failed.catch(() => {});
    let over = false;
    const waiting = requestsSettled(60_000).then(() => (over = true));
    await moment();
    expect(over).toBe(false);
    end('there');
    await waiting;
    expect(await request).toBe('there');
  });
});
