// The Markdown renderer is large, so it is loaded when the first text is shown.
type Render = (text: string) => string;

let render = $state.raw<Render | null>(null);
let wanted = false;

/** Renders Markdown as safe HTML. Returns null while the renderer is loading. */
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
