/** Messages about connected programs. */
export const programs = {
  'settings.programs': 'Other programs',
  'settings.programs.means':
    'Programs that speak MCP can use Sextant’s tools under the same rules. They have their own browser tabs, and can read their page and the conversations you share.',
  'programs.now': 'Connected now',
  'programs.none': 'No program is connected.',
  'programs.none.means': 'Give a program the configuration below. It appears here with its first request.',
  'programs.name': 'Program',
  'programs.unnamed': 'unnamed',
  'programs.via': 'Via',
  'programs.via.stdio': 'sextant mcp',
  'programs.via.http': 'HTTP',
  'programs.since': 'Since',
  'programs.tabs': 'Tabs',
  'programs.tabs.window': 'the window’s',
  'programs.calls': 'Calls',
  'programs.off': 'Disconnect',
  'programs.off.one': 'Disconnect {name}',
  'programs.gone': 'Disconnected {name}. Its tabs are closed.',
  'programs.stdio': 'Connect with a command',
  'programs.stdio.means':
    'Most programs accept this in their list of MCP servers. It connects to this Sextant while it is running; add --share to use the window’s tabs.',
  'programs.http': 'Connect over HTTP',
  'programs.http.means':
    'For programs that ask for an address. Address and token are valid until Sextant is closed. Anyone with the token acts as you: give it only to programs you trust. The session name keeps the tabs of two programs apart.',
  'programs.copy.stdio': 'Copy the command configuration',
  'programs.copy.http': 'Copy the HTTP configuration, with the token',
  'programs.token': 'Copy token',
};
