import { describe, expect, it } from 'vitest';
import { acting, answered, during, follow } from './acting';

const moment = () => new Promise((done) => setTimeout(done));

describe('a deed of the assistant', () => {
  it('is known while it runs and in what it leaves for right after, and not longer', async () => {
    expect(acting()).toBe(false);
    let later = false;
    during(() => {
      expect(acting()).toBe(true);
      void Promise.resolve().then(() => (later = acting()));
    });
    await moment();
    expect(later).toBe(true);
    await moment();
    expect(acting()).toBe(false);
  });

  it('is over also when it fails', async () => {
    expect(() =>
      during(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    await moment();
    await moment();
    expect(acting()).toBe(false);
  });

  it('waits for the requests that it began, also for one that fails', async () => {
    let end = (_: string) => {};
    const request = follow(new Promise<string>((done) => (end = done)));
    const failed = follow(Promise.reject(new Error('no')));
    failed.catch(() => {});
    let over = false;
    const waiting = answered(60_000).then(() => (over = true));
    await moment();
    expect(over).toBe(false);
    end('there');
    await waiting;
    expect(await request).toBe('there');
  });
});
