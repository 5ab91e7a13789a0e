// The Markdown renderer is large, so it is loaded when the first text is shown.
type Render = (text: string) => string;

let render = $state.raw<Render | null>(null);
let requested = false;

/** Renders Markdown as safe HTML. Returns null while the renderer is loading. */
export function renderProse(text: string): string | null {
  if (!render && !requested) {
    requested = true;
    import('./markdown').then(
      (loaded) => (render = loaded.renderMarkdown),
      () => (requested = false),
    );
  }
  return render?.(text) ?? null;
}
