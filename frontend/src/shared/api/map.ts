import map from '../../../../shared/navigation/map.json';

/** A route of the navigation map by its key, with `{name}` parts filled in. */
export function route(
  key: keyof typeof map.routes,
  parts: Record<string, string> = {},
): { method: string; path: string } {
  const [method = 'GET', template = ''] = map.routes[key].split(' ');
  return { method, path: template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? '')) };
}

/** The tool behind an environment command, e.g. "click". Throws for a command the map does not hold. */
export function environmentTool(command: string): string {
  const found = map.environment.find((entry) => entry.command === command);
  if (!found) throw new Error(`the navigation map has no environment command ${command}`);
  return found.tool;
}

/** The tool that opens a panel. */
export function openTool(panel: string): string {
  return map.panel_tool.replace('%s', panel.replaceAll('-', '_'));
}
