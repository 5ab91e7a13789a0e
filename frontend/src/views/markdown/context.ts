import { getContext, setContext } from 'svelte';
import type { Attachment } from 'svelte/attachments';

/** Returns an attachment that turns file names in an element's text into links. It runs again for a new key. */
type FileLinks = (key: string) => Attachment<HTMLElement>;

const KEY = Symbol('file links');

export const provideFileLinks = (links: FileLinks) => setContext(KEY, links);
export const useFileLinks = () => getContext<FileLinks>(KEY);

/** Svelte attachment that sets an element's content. Unlike `{@html}`, it allows others to change that content. */
export const setHTML =
  (sanitized: string): Attachment<HTMLElement> =>
  (element) => {
    element.innerHTML = sanitized;
  };
