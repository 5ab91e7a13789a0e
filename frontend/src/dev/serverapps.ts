import { BackendError } from '../shared/api/client';
import type { ServerAppsApi } from '../shared/api/serverapps';

const none = () => Promise.reject(new BackendError(404, 'no MCP server here', ''));

/** Returns a ServerAppsApi without pages: the MCP servers of a scenario have none. */
export const serverApps = (): ServerAppsApi => ({
  page: none,
  allow: none,
  allowedOrigins: () => Promise.resolve([]),
  revoke: none,
  call: none,
  read: none,
  updateModelContext: none,
  updatePanelModelContext: none,
  log: none,
  mail: none,
  open: none,
});
