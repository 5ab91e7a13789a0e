/** This panel shows the settings, grants and the audit log. */
export const provides = 'settings';
