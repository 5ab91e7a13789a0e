import type { CallView } from '../store/state';
import { t } from '../../shared/i18n';
import type { IconName } from '../../shared/ui/icons';

/** Removes the call at the start of an error, as in "click(12): …". Cards and toasts show the call anyway. */
export function plainError(tool: string, error: string): string {
  const end = error.indexOf('): ');
  return error.startsWith(`${tool}(`) && end > 0 ? error.slice(end + 3) : error;
}

/** Returns the icon and color for a call's state. An empty icon stands for the spinner. */
export function cardIcon(call: CallView, waiting: boolean): { icon: IconName | ''; tone: string } {
  if (waiting) return { icon: 'hand', tone: 'accent' };
  switch (call.status) {
    case 'queued':
      return { icon: 'clock', tone: 'text-muted' };
    case 'running':
      return { icon: '', tone: '' };
    case 'done':
      return { icon: 'check', tone: 'ok' };
    case 'failed':
      return { icon: 'circle-alert', tone: 'danger' };
    case 'declined':
      return { icon: 'x', tone: 'text-muted' };
    case 'refused':
      return { icon: 'shield', tone: 'text-secondary' };
    case 'stopped':
      return { icon: 'square', tone: 'text-muted' };
    case 'interrupted':
      return { icon: 'triangle-alert', tone: 'warn' };
  }
}

/** Returns the headline of a call's card. */
export function cardSentence(call: CallView, waiting: boolean): string {
  const sentence = call.sentence || call.tool;
  if (waiting) return t('call.waiting', { sentence: lower(sentence) });
  switch (call.status) {
    case 'declined':
      return prefixed('call.declined', sentence, /^you declined/i);
    case 'refused':
      return prefixed('call.refused', sentence, /^refused/i);
    case 'failed':
      return prefixed('call.failed', sentence, /not possible/i);
    case 'stopped':
      return prefixed('call.stopped', sentence, /^stopped/i);
    case 'interrupted':
      return prefixed('call.interrupted', sentence, /^interrupted/i);
    default:
      return sentence;
  }
}

function prefixed(
  key: 'call.declined' | 'call.refused' | 'call.failed' | 'call.stopped' | 'call.interrupted',
  sentence: string,
  has: RegExp,
): string {
  return has.test(sentence) ? sentence : t(key, { sentence: lower(sentence) });
}

// Lowercases the first letter for use inside a sentence, except in words such as "HTTP".
const lower = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);

/** Returns the lines below the headline of a call's card. */
export function cardPreview(call: CallView): { text: string; tone: string }[] {
  if (call.status === 'failed') {
    const lines = [{ text: plainError(call.tool, call.error), tone: 'danger' }];
    if (call.suggestion) lines.push({ text: call.suggestion, tone: '' });
    return lines.filter((line) => line.text);
  }
  if (call.status === 'declined')
    return call.reason ? [{ text: t('call.reason', { reason: call.reason }), tone: '' }] : [];
  if (call.status === 'refused')
    return [{ text: call.reason || call.error || call.suggestion, tone: '' }].filter((l) => l.text);
  if (call.status === 'interrupted') return [{ text: t('call.interrupted.hint'), tone: '' }];
  return call.preview.slice(0, 3).map((text) => ({ text, tone: '' }));
}

/** Returns the last `max` lines of live output, and the number of lines above them. */
export function liveLines(live: string, max = 6): { lines: string[]; above: number } {
  const all = live.replace(/\n$/, '').split('\n');
  return { lines: all.slice(-max), above: Math.max(0, all.length - max) };
}
