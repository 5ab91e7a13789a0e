/** This panel shows the controlled page. */
export const provides = 'page';
