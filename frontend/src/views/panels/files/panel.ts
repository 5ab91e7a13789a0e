/** This panel shows the workspace as a tree. */
export const provides = 'files';
