import type { AppDesk } from '../shared/api/apps';
import { BackendError } from '../shared/api/backend';

const none = () => Promise.reject(new BackendError(404, 'no MCP server here', ''));

/** A scenario has no MCP server, so that no page of one is shown. */
export const apps = (): AppDesk => ({
  page: none,
  allow: none,
  reach: () => Promise.resolve([]),
  revoke: none,
  call: none,
  read: none,
  tell: none,
  tellAsPanel: none,
  log: none,
  mail: none,
  open: none,
});
