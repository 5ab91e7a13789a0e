import map from '../../../../shared/navigation/map.json';
import type { operations, paths } from './schema.gen';

type PostPath<Operation extends keyof operations> = {
  [Path in keyof paths]: paths[Path] extends { post: operations[Operation] } ? Path : never;
}[keyof paths];

const pathOf = (key: keyof typeof map.routes) => map.routes[key].split(' ')[1];

/** Paths from the navigation map, with their types from the API description. */
export const PATHS = {
  execute: pathOf('tools_execute') as PostPath<'post-api-ai-tools-execute'>,
  openPanel: pathOf('panel_open') as PostPath<'post-api-panels-open'>,
  toggleServer: pathOf('mcp_toggle') as PostPath<'post-api-ai-mcp-servers-name-toggle'>,
};

/** Returns the tool for an environment command such as "click". Throws if the navigation map lacks the command. */
export function environmentTool(command: string): string {
  const found = map.environment.find((entry) => entry.command === command);
  if (!found) throw new Error(`the navigation map has no environment command ${command}`);
  return found.tool;
}
