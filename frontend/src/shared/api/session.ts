import { BackendError } from './client';

const KEY = 'sextant.token';

/**
 * Returns this window's token. It removes the one-time code from the address's fragment, so that the browser's history
 * does not keep it, and exchanges it for the token. Without a code it returns the token saved for this tab, or "" if
 * there is none; if the code is refused, the saved token. Throws a BackendError if the program does not answer, or if
 * the code is refused and no token is saved.
 */
export async function openSession(): Promise<string> {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const code = parameters.get('code');
  if (!code) return sessionStorage.getItem(KEY) ?? '';
  parameters.delete('code');
  history.replaceState(null, '', location.pathname + location.search + (parameters.size > 0 ? `#${parameters}` : ''));
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
