import { findFilePaths } from '../../shared/text/filepaths';
import { t } from '../../shared/i18n';
import type { App } from '../../domain/app.svelte';

/** Selects elements whose text is never turned into links. */
const EXCLUDED = 'a, button, .annotation, .chip, .math, [data-file]';

/**
 * Svelte attachment that turns the paths of existing files in an element's text into links to the code editor. It does
 * nothing until `ready` returns true, and runs again when the value of `key`, on which the text depends, changes.
 */
export function fileLinks(app: Pick<App, 'fileExistence' | 'editor'>, ready: () => boolean, key: () => unknown) {
  return (element: HTMLElement) => {
    void key();
    if (!ready()) return;
    let canceled = false;
    void link(app, element, () => canceled);
    return () => void (canceled = true);
  };
}

async function link(
  app: Pick<App, 'fileExistence' | 'editor'>,
  element: HTMLElement,
  canceled: () => boolean,
): Promise<void> {
  const found = textsOf(element).map((node) => ({ node, places: findFilePaths(node.data) }));
  const paths = new Set(found.flatMap(({ places }) => places.map((place) => place.path)));
  if (paths.size === 0) return;
  const existing = await app.fileExistence.existing([...paths]);
  if (canceled() || existing.size === 0) return;
  for (const { node, places } of found) {
    // Start at the end, so that the earlier offsets stay valid.
    for (const place of places.reverse()) {
      if (!existing.has(place.path) || !node.isConnected || place.to > node.data.length) continue;
      const piece = node.splitText(place.from);
      piece.splitText(place.to - place.from);
      const name = document.createElement('span');
      name.className = 'file-link';
      name.dataset.file = place.path;
      name.tabIndex = 0;
      name.role = 'link';
      name.title = t(place.line ? 'link.file.line' : 'link.file', { path: place.path, line: place.line });
      name.addEventListener('click', (event) => {
        event.stopPropagation();
        void app.editor.open(place.path, place.line);
      });
      name.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') void app.editor.open(place.path, place.line);
      });
      piece.replaceWith(name);
      name.append(piece);
    }
  }
}

function textsOf(element: HTMLElement): Text[] {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const all: Text[] = [];
  while (walk.nextNode()) {
    const node = walk.currentNode as Text;
    if (!node.parentElement?.closest(EXCLUDED)) all.push(node);
  }
  return all;
}
