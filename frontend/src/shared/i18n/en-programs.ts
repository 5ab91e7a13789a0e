/** What the section of other programs says. */
export const programs = {
  'settings.programs': 'Other programs',
  'settings.programs.means':
    'Programs that speak MCP can use Sextant’s tools, under the same rules. They have browser tabs of their own, and read the page they have open and the conversations you share.',
  'programs.now': 'Connected now',
  'programs.none': 'No program is connected.',
  'programs.none.means': 'Give one the configuration below. It shows up here with its first request.',
  'programs.name': 'Program',
  'programs.unnamed': 'without a name',
  'programs.via': 'By',
  'programs.via.stdio': 'sextant mcp',
  'programs.via.http': 'HTTP',
  'programs.since': 'Since',
  'programs.tabs': 'Tabs',
  'programs.tabs.window': 'the window’s',
  'programs.calls': 'Calls',
  'programs.off': 'Disconnect',
  'programs.off.one': 'Disconnect {name}',
  'programs.gone': '{name} is disconnected. Its tabs are closed.',
  'programs.stdio': 'Start it with a command',
  'programs.stdio.means':
    'Most programs take this in their list of MCP servers. It joins this Sextant while it runs; add --share to act on the window’s tabs.',
  'programs.http': 'Connect over HTTP',
  'programs.http.means':
    'For programs that take an address. Address and token hold until Sextant closes. Whoever has the token acts as you: give it to programs you trust. The session’s name keeps the tabs of two programs apart.',
  'programs.copy': 'Copy',
  'programs.copy.stdio': 'Copy the configuration for a command',
  'programs.copy.http': 'Copy the configuration for HTTP, with the token',
  'programs.token': 'Copy token',
};
