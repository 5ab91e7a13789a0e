// Renders Markdown lazily: the renderer is large and not needed before the first text is shown.
type Render = (text: string) => string;

let render = $state.raw<Render | null>(null);
let wanted = false;

/** Safe HTML of Markdown; null while the renderer loads. */
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
