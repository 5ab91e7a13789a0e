/** A short message in a corner of the stage. An error stays until it is dismissed or two newer toasts displace it. */
export interface Toast {
  id: number;
  kind: 'ok' | 'error';
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

  error(text: string, hint = ''): void {
    if (this.list.some((toast) => toast.text === text)) return;
    this.#add('error', text, hint);
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
