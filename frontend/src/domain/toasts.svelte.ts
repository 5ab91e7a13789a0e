/** A short message in a corner of the stage. An error stays until it is dismissed or two newer toasts displace it. */
export interface Toast {
  id: number;
  kind: 'ok' | 'offer' | 'error';
  text: string;
  hint: string;
  /** An action that the toast offers, such as Undo. */
  action?: { label: string; run: () => void };
}

/** How long a toast is shown, and what it offers can be undone, in milliseconds. */
export const UNDO_MS = 6000;

/** The toasts that are shown: the newest two. */
export class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  ok(text: string, action?: Toast['action']): void {
    const id = this.#add('ok', text, '', action);
    setTimeout(() => this.dismiss(id), UNDO_MS);
  }

  /** Shows an offer until the person takes or dismisses it. */
  offer(text: string, action: Toast['action']): void {
    this.#add('offer', text, '', action);
  }

  /** Shows an error and returns its id, with which it can be dismissed. */
  error(text: string, hint = '', action?: Toast['action']): number {
    return this.list.find((toast) => toast.text === text)?.id ?? this.#add('error', text, hint, action);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  #add(kind: Toast['kind'], text: string, hint: string, action?: Toast['action']): number {
    const id = this.#next++;
    this.list = [...this.list, { id, kind, text, hint, action }].slice(-2);
    return id;
  }
}
