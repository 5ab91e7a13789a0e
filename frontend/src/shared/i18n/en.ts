import { apps } from './en-apps';
import { assistant } from './en-assistant';
import { backups } from './en-backups';
import { panelSettings } from './en-panelsettings';
import { editor } from './en-editor';
import { files } from './en-files';
import { notes } from './en-notes';
import { install } from './en-install';
import { pages } from './en-pages';
import { panels } from './en-panels';
import { manifest } from './en-manifest';
import { problems } from './en-problems';
import { programs } from './en-programs';
import { search } from './en-search';
import { instructions } from './en-instructions';
import { recipes } from './en-recipes';
import { secrets } from './en-secrets';
import { settings } from './en-settings';
import { cost } from './en-cost';
import { surface } from './en-surface';
import { webview } from './en-webview';
import { servers } from './en-servers';
import { welcome } from './en-welcome';

const frame = {
  'app.name': 'Sextant',
  'region.panels': 'Panels',
  'region.assistant': 'Assistant',
  'region.status': 'Status',
  'region.gutter': 'Resize the assistant',
  'region.toasts': 'Notifications',

  'boot.starting': 'Starting',
  'stage.lost': 'This panel could not be loaded',
  'stage.lost.means': 'Sextant did not respond. What you wrote is saved. Reload the window.',
  'stage.lost.again': 'Reload the window',
  'boot.link.title': 'This link was already used',
  'boot.link.what': 'A link opens one window, and only until Sextant is restarted.',
  'boot.link.unaffected': 'Your conversations, settings and panels are kept.',
  'boot.link.do': 'Run “sextant open” in a terminal. It opens a new window, or prints a link if there is no display.',
  'boot.gone.title': 'Sextant is not responding',
  'boot.gone.what': 'The program behind this window is not running, or it is still starting.',
  'boot.gone.unaffected': 'Nothing is lost: everything shown before is stored.',
  'boot.gone.do': 'Start Sextant, then try again. This window also retries every few seconds.',
  'error.what': 'What happened',
  'error.unaffected': 'What is unaffected',
  'error.do': 'What to do',

  'disk.full': 'The disk is full. Nothing new can be saved.',
  'disk.full.hint':
    '{free} free on the disk of {folder}. Everything saved so far is safe and can be read, and what you write stays in the message box. Free some space; Sextant continues automatically.',
  'disk.low': 'The disk is almost full.',
  'disk.low.hint': '{free} free on the disk of {folder}. When it is full, nothing new can be saved.',
  'connection.lost': 'Connection lost. You can read, but not send.',
  'connection.next': 'Next try in {s} s',
  'connection.now': 'Try now',

  'bar.theme': 'Theme',
  'bar.theme.dark': 'Dark',
  'bar.theme.light': 'Light',
  'bar.theme.system': 'System',
  'bar.waiting': '{n} {n|question|questions} waiting',
  'bar.problem': 'has a problem',
  'bar.user': 'your panel',

  'mode.label': 'Mode',
  'mode.read-only': 'Read-only',
  'mode.ask': 'Ask',
  'mode.workspace': 'Workspace',
  'mode.full': 'Full',
  'mode.read-only.means': 'Reads files, pages and addresses. Anything that changes or sends something is refused.',
  'mode.ask.means':
    'Asks before file changes, commands that do more than read, new hosts, uploads and scripts. Clicking and typing on pages does not ask.',
  'mode.workspace.means': 'Changes files and runs commands in the workspace folder. Deleting and everything else asks.',
  'mode.full.means': 'Asks only in sensitive places, outside the sandbox, and when outside text could steer it.',
  'mode.full.ask': 'Switch to Full mode?',
  'mode.full.runs':
    'The assistant changes and deletes files, runs commands in the sandbox and uses connected tools without asking.',
  'mode.full.asks':
    'It still asks in sensitive places, outside the sandbox, before a command reaches a new host, and when text from a page, file or server could steer it.',
  'mode.full.undo': 'File changes in the workspace can be undone. What was sent cannot.',
  'mode.full.do': 'Switch to Full',

  'status.browser.ready': 'Browser ready',
  'status.browser.starting': 'Browser starting',
  'status.browser.stopped': 'Browser not started',
  'status.browser.absent': 'Chromium not found',
  'status.browser.failed': 'Browser failed',
  'status.browser.driving': 'The assistant is using tab {tab}',
  'status.browser.program': 'A program is using tab {tab}',
  'status.browser.takenOver': 'You have the page',
  'status.waiting': 'Waiting for you',
  'status.mcp.none': 'No MCP servers',
  'status.mcp.some': 'MCP {on} of {n}',
  'status.outside.none': 'No outside text read',
  'status.outside.one': 'Read outside text: {source}',
  'status.outside.many': 'Read outside text: {source} and {n} more',
  'status.outside.all': 'Outside text in this conversation',
  'status.outside.means':
    'This conversation contains text from these sources. Sextant asks before anything could send data out.',
  'status.outside.empty': 'Nothing from a page or server has been read in this conversation.',
  'status.folder': 'Folder',
  'folder.open': 'Open a folder',
  'folder.open.words': 'folder|other folder|another folder|workspace|project|other project',
  'folder.open.do': 'Open',
  'folder.recent': 'Opened before',
  'folder.path': 'Folder to work in',
  'folder.inside': 'Folders in {folder}',
  'folder.above': 'Folder above',
  'folder.inside.none': 'No folders here',
  'folder.means': 'The assistant reads and writes files here. Terminals and MCP servers that run keep their folder.',
  'status.mcp.title': 'MCP servers',
  'status.mcp.empty': 'None configured. Add one in the MCP servers panel.',
  'status.mcp.tools': '{n} {n|tool|tools}',
  'status.mcp.on': 'Turn {name} on',
  'status.mcp.off': 'Turn {name} off',
  'state.off': 'off',
  'state.starting': 'starting',
  'state.running': 'running',
  'state.failed': 'failed',
  'state.stopped': 'stopped',

  'palette.hint': 'Command, setting, file, page, or a question',
  'palette.none': 'No results for “{query}”.',
  'palette.panels': 'Panels',
  'palette.commands': 'Commands',
  'palette.settings': 'Settings',
  'palette.files': 'Files',
  'palette.pages': 'Pages',
  'palette.assistant': 'Assistant',
  'palette.ask': 'Ask: {text}',
  'palette.open': 'Open {address}',
  'palette.tools': 'Tools',
  'palette.marks': 'Numbers',
  'palette.conversations': 'Conversations',
  'palette.foot': '# numbers   / tools   ? conversations',

  'command.palette': 'Command palette',
  'command.bar': 'Expand or collapse the activity bar',
  'command.assistant': 'Open or close the assistant',
  'command.reading': 'Show the conversation over the whole stage',
  'command.new': 'New conversation',
  'command.new.words': 'new conversation|new chat|another conversation|fresh conversation',
  'command.history': 'Conversations',
  'command.address': 'Go to the address bar',
  'command.tab.new': 'New tab',
  'command.tab.close': 'Close the tab',
  'command.tab.reopen': 'Reopen the closed tab',
  'command.tab.reopen.off': 'No tab was closed.',
  'command.reload': 'Reload the page',
  'command.back': 'Back',
  'command.forward': 'Forward',
  'command.annotate': 'Show numbers',
  'command.number': 'Click a number',
  'command.stop': 'Stop the assistant and take over',
  'command.stop.off': 'The assistant is not running.',
  'command.giveBack': 'Give the page back',
  'command.question': 'Next question',
  'command.region': 'Next region',
  'command.region.back': 'Previous region',
  'command.settings': 'Open settings',
  'command.theme': 'Change theme',
  'command.theme.dark': 'Dark mode',
  'command.theme.dark.words': 'dark|dark mode|dark theme|theme dark|night mode|darker',
  'command.theme.light': 'Light mode',
  'command.theme.light.words': 'light|light mode|light theme|theme light|day mode|bright mode|lighter',
  'command.theme.system': 'Theme of the system',
  'command.theme.system.words': 'system theme|theme of system|automatic theme',
  'command.zoom.in': 'Zoom in on the page',
  'command.zoom.in.words': 'zoom in|zoom|bigger|larger|enlarge|text bigger|text larger',
  'command.zoom.out': 'Zoom out of the page',
  'command.zoom.out.words': 'zoom out|smaller|text smaller',
  'command.zoom.reset': 'Show the page at 100 %',
  'command.zoom.reset.words': 'zoom 100 %|zoom 100%|zoom 100|reset zoom|normal size|actual size|no zoom',
  'command.page.find': 'Find on the page',
  'command.page.find.words': 'find|find on|find in',
  'command.composer': 'Write to the assistant',
  'command.panel': 'Panel {n}',

  'action.close': 'Close',
  'action.cancel': 'Cancel',
  'action.dismiss': 'Dismiss',
  'action.copied': 'Copied',
  'action.again': 'Try again',
  'action.undo': 'Undo',
  'action.refresh': 'Refresh',
  'action.delete': 'Delete',
  'action.copy': 'Copy',
  'action.open': 'Open',
  'action.runAgain': 'Run again',

  'failure.offline': 'Not done: Sextant is not responding. Try again.',
  'failure.request': 'Not done: {reason}',
  'value.unknown': 'unknown',
} as const;

/** All messages of the window, in English. */
export const en = {
  ...frame,
  ...assistant,
  ...panelSettings,
  ...editor,
  ...files,
  ...notes,
  ...install,
  ...pages,
  ...panels,
  ...settings,
  ...surface,
  ...cost,
  ...recipes,
  ...backups,
  ...programs,
  ...search,
  ...instructions,
  ...secrets,
  ...manifest,
  ...webview,
  ...apps,
  ...servers,
  ...welcome,
  ...problems,
} as const;
