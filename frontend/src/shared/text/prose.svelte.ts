// The renderer of Markdown is a large part of the window's code, and the window is drawn before
// there are words: it is fetched when the first ones want it.
type Render = (text: string) => string;

let render = $state.raw<Render | null>(null);
let wanted = false;

/** Safe HTML of Markdown; null while the renderer is on its way. */
export function prose(text: string): string | null {
  if (!render && !wanted) {
    wanted = true;
    import('./markdown').then(
      (loaded) => (render = loaded.renderMarkdown),
      () => (wanted = false),
    );
  }
  return render?.(text) ?? null;
}
