import { BackendError } from './client';

const KEY = 'sextant.token';

/**
 * Exchanges the one-time code in the address's fragment for this window's token. The fragment is removed before the
 * first request, so that the code is in no history. Without a code, or if it was already used, the token saved for this
 * tab is returned, or "" if there is no code either. Throws a BackendError if the code is refused.
 */
export async function openSession(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return sessionStorage.getItem(KEY) ?? '';
  history.replaceState(null, '', location.pathname + location.search);
  let answer: Response;
  try {
    answer = await fetch('/api/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  } catch {
    throw new BackendError(0, 'no answer', '');
  }
  if (!answer.ok) {
    const saved = sessionStorage.getItem(KEY);
    if (saved) return saved;
    throw new BackendError(answer.status, 'the code was refused', '');
  }
  const { token } = (await answer.json()) as { token: string };
  sessionStorage.setItem(KEY, token);
  return token;
}

/** Deletes the saved token, for use after the program has refused it. */
export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
}
