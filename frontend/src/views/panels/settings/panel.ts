/** What this panel provides to links: the settings, grants and the audit log. */
export const provides = 'settings';
