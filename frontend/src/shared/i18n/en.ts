import { apps } from './en-apps';
import { assistant } from './en-assistant';
import { bookmarks } from './en-bookmarks';
import { config } from './en-config';
import { editor } from './en-editor';
import { files } from './en-files';
import { measures } from './en-measures';
import { notes } from './en-notes';
import { making } from './en-making';
import { pages } from './en-pages';
import { panels } from './en-panels';
import { pending } from './en-pending';
import { problems } from './en-problems';
import { programs } from './en-programs';
import { secrets } from './en-secrets';
import { settings } from './en-settings';
import { spending } from './en-spending';
import { surface } from './en-surface';
import { webview } from './en-webview';
import { servers } from './en-servers';
import { terminal } from './en-terminal';

const frame = {
  'app.name': 'Sextant',
  'region.panels': 'Panels',
  'region.assistant': 'Assistant',
  'region.status': 'Status',
  'region.gutter': 'Width of the assistant',
  'region.toasts': 'Messages',

  'boot.starting': 'Starting',
  'stage.lost': 'This panel could not be loaded',
  'stage.lost.means':
    'Sextant did not answer when the window asked for it. What you wrote is kept; load the window again.',
  'stage.lost.again': 'Load the window again',
  'boot.key.title': 'This window’s key is no longer valid',
  'boot.key.what': 'Sextant was started anew, or the address was opened a second time. A key works for one window.',
  'boot.key.holds': 'Your conversations, settings and panels are kept.',
  'boot.key.do': 'Open the window again, or start it from a terminal and use the address it prints.',
  'boot.key.again': 'Try again',
  'boot.gone.title': 'Sextant does not answer',
  'boot.gone.what': 'The program behind this window is not running, or it is still starting.',
  'boot.gone.holds': 'Nothing is lost: everything shown before is stored.',
  'boot.gone.do': 'Start Sextant, then try again. This window also tries by itself every few seconds.',
  'error.what': 'What happened',
  'error.holds': 'What still holds',
  'error.do': 'What to do',

  'disk.full': 'The disk is full: nothing new can be kept.',
  'disk.full.hint':
    '{free} are free on the disk of {folder}. What was kept is safe and can be read, and what you write stays in the input. Make room there: it goes on by itself.',
  'disk.low': 'Little room on the disk.',
  'disk.low.hint': '{free} are free on the disk of {folder}. When it is full, nothing new can be kept.',
  'connection.lost': 'Connection lost. Reading goes on, sending waits.',
  'connection.next': 'Next try in {s} s',
  'connection.now': 'Try now',

  'bar.palette': 'Command palette',
  'bar.theme': 'Look',
  'bar.theme.dark': 'Dark',
  'bar.theme.light': 'Light',
  'bar.theme.system': 'As the system',
  'bar.waiting': '{n} {n|question waits|questions wait}',
  'bar.problem': 'has a problem',
  'bar.user': 'your panel',

  'mode.label': 'Mode',
  'mode.read-only': 'Read-only',
  'mode.ask': 'Ask',
  'mode.workspace': 'Workspace',
  'mode.full': 'Full',
  'mode.read-only.means': 'Reads only. Nothing is written, sent or clicked.',
  'mode.ask.means': 'Asks before every step that changes something.',
  'mode.workspace.means': 'Works freely inside the folder, asks for the rest.',
  'mode.full.means': 'Asks only before what cannot be undone.',

  'status.browser.ready': 'Browser ready',
  'status.browser.starting': 'Browser starting',
  'status.browser.stopped': 'Browser not started',
  'status.browser.absent': 'Chromium missing',
  'status.browser.failed': 'Browser failed',
  'status.browser.driving': 'Assistant is driving tab {tab}',
  'status.browser.program': 'A program is driving tab {tab}',
  'status.browser.yours': 'You have the page',
  'status.waiting': 'Waiting for you',
  'status.mcp.none': 'No MCP servers',
  'status.mcp.some': 'MCP {on} of {n}',
  'status.outside.none': 'No outside text read',
  'status.outside.one': 'Read outside text: {source}',
  'status.outside.many': 'Read outside text: {source} and {n} more',
  'status.outside.all': 'Outside text in this conversation',
  'status.outside.means': 'Text from these sources is in this conversation. What could carry data out asks first.',
  'status.outside.empty': 'Nothing from a page or a server has been read in this conversation.',
  'status.folder': 'Folder',
  'status.mcp.title': 'MCP servers',
  'status.mcp.empty': 'None are set up. Add them to mcp-config.json in the settings folder.',
  'status.mcp.tools': '{n} {n|tool|tools}',
  'status.mcp.on': 'Switch {name} on',
  'status.mcp.off': 'Switch {name} off',
  'state.off': 'off',
  'state.starting': 'starting',
  'state.running': 'running',
  'state.failed': 'failed',
  'state.stopped': 'stopped',

  'palette.title': 'Command palette',
  'palette.hint': 'A command, panel, tool, or # and a number',
  'palette.none': 'Nothing fits “{query}”.',
  'palette.panels': 'Panels',
  'palette.commands': 'Commands',
  'palette.tools': 'Tools',
  'palette.marks': 'Marks',
  'palette.conversations': 'Conversations',
  'palette.foot': '# marks   / tools   ? conversations',

  'command.palette': 'Command palette',
  'command.bar': 'Widen or narrow the activity bar',
  'command.assistant': 'Open or close the assistant',
  'command.new': 'New conversation',
  'command.history': 'Conversations',
  'command.address': 'Go to the address bar',
  'command.tab.new': 'New tab',
  'command.tab.close': 'Close the tab',
  'command.reload': 'Reload the page',
  'command.back': 'Back',
  'command.forward': 'Forward',
  'command.annotate': 'Number the page',
  'command.number': 'Click a number',
  'command.stop': 'Stop the assistant and take over',
  'command.give': 'Give the page back',
  'command.question': 'Next question that waits',
  'command.region': 'Next region',
  'command.region.back': 'Previous region',
  'command.settings': 'Open the settings',
  'command.theme': 'Change the theme',
  'command.composer': 'Write to the assistant',
  'command.panel': 'Panel {n}',

  'do.close': 'Close',
  'do.cancel': 'Cancel',
  'do.dismiss': 'Dismiss',
  'do.copied': 'Copied',
  'do.again': 'Try again',

  'failure.offline': 'Not done: Sextant does not answer. It is sent again when you try again.',
  'failure.request': 'Not done: {reason}',
  'value.unknown': 'unknown',
} as const;

/** The English catalogue. */
export const en = {
  ...frame,
  ...assistant,
  ...bookmarks,
  ...config,
  ...editor,
  ...files,
  ...notes,
  ...making,
  ...measures,
  ...pages,
  ...panels,
  ...settings,
  ...surface,
  ...spending,
  ...programs,
  ...secrets,
  ...pending,
  ...webview,
  ...apps,
  ...servers,
  ...terminal,
  ...problems,
} as const;
