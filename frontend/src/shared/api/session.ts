import { BackendError } from './client';

const KEY = 'sextant.token';

/**
 * Turns the one-time code of the address's fragment into this window's token. The fragment is
 * removed before the first request, so that no history contains it. A reload reuses the token saved
 * for this tab. Returns "" when there is neither; throws BackendError when the code is refused.
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

/** Forgets the saved token, after the program refused it. */
export function forgetSession(): void {
  sessionStorage.removeItem(KEY);
}
