/** This panel shows notes. */
export const provides = 'notes';
