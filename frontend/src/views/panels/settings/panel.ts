/** This panel holds mode, limits, grants and the audit log. */
export const provides = 'settings';
