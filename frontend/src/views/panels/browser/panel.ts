/** What this panel provides to links: the page of the browser. */
export const provides = 'page';
