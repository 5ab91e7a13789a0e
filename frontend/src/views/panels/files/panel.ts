/** What this panel provides to links: the tree of the workspace's files. */
export const provides = 'files';
