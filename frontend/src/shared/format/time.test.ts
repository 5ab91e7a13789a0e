import { describe, expect, it } from 'vitest';
import { cutMiddle, splitAddress } from './address';
import { formatCount, formatDuration, formatByAge } from './time';

describe('durations, counts and dates', () => {
  it('formats a duration in the unit that fits', () => {
    expect(formatDuration(42)).toBe('42 ms');
    expect(formatDuration(1800)).toBe('1.8 s');
    expect(formatDuration(59_970)).toBe('1 min 0 s');
    expect(formatDuration(11_520_000)).toBe('3 h 12 min');
  });
  it('formats counts exactly up to 9,999', () => {
    expect(formatCount(9999)).toBe('9,999');
    expect(formatCount(10_400)).toBe('10k');
  });
  it('formats a date by its age', () => {
    const now = new Date(2026, 9, 14, 15, 0);
    expect(formatByAge(new Date(2026, 9, 14, 14, 2).toISOString(), now)).toBe('14:02');
    expect(formatByAge(new Date(2026, 9, 8, 9, 0).toISOString(), now)).toBe('Thu');
    expect(formatByAge(new Date(2026, 9, 2, 9, 0).toISOString(), now)).toBe('2 Oct');
    expect(formatByAge(new Date(2025, 9, 12).toISOString(), now)).toBe('12 Oct 2025');
    expect(formatByAge('nonsense', now)).toBe('');
  });
});

describe('an address', () => {
  it('is split into host and rest', () => {
    expect(splitAddress('https://shop.example/a?b#c')).toEqual({ secure: true, host: 'shop.example', rest: '/a?b#c' });
    expect(splitAddress('http://shop.example/')).toEqual({ secure: false, host: 'shop.example', rest: '' });
    expect(splitAddress('about:blank').host).toBe('');
  });
  it('is shortened in the middle', () => {
    expect(cutMiddle('/home/person/projects/notes.md', 17)).toBe('/home/pe…notes.md');
    expect([...cutMiddle('x'.repeat(90), 20)]).toHaveLength(20);
    expect(cutMiddle('short', 20)).toBe('short');
  });
});
