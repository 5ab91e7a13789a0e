import Activity from '@lucide/svelte/icons/activity';
import ArrowDown from '@lucide/svelte/icons/arrow-down';
import ArrowLeft from '@lucide/svelte/icons/arrow-left';
import ArrowRight from '@lucide/svelte/icons/arrow-right';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
import Book from '@lucide/svelte/icons/book';
import ChartColumn from '@lucide/svelte/icons/chart-column';
import Check from '@lucide/svelte/icons/check';
import ChevronDown from '@lucide/svelte/icons/chevron-down';
import ChevronRight from '@lucide/svelte/icons/chevron-right';
import CircleAlert from '@lucide/svelte/icons/circle-alert';
import CircleDot from '@lucide/svelte/icons/circle-dot';
import Clipboard from '@lucide/svelte/icons/clipboard';
import Clock from '@lucide/svelte/icons/clock';
import Code from '@lucide/svelte/icons/code';
import Copy from '@lucide/svelte/icons/copy';
import Cpu from '@lucide/svelte/icons/cpu';
import Diff from '@lucide/svelte/icons/diff';
import Download from '@lucide/svelte/icons/download';
import Ellipsis from '@lucide/svelte/icons/ellipsis';
import FileIcon from '@lucide/svelte/icons/file';
import FileText from '@lucide/svelte/icons/file-text';
import Folder from '@lucide/svelte/icons/folder';
import FolderDown from '@lucide/svelte/icons/folder-down';
import Globe from '@lucide/svelte/icons/globe';
import ImageIcon from '@lucide/svelte/icons/image';
import Hand from '@lucide/svelte/icons/hand';
import Hash from '@lucide/svelte/icons/hash';
import HistoryIcon from '@lucide/svelte/icons/history';
import House from '@lucide/svelte/icons/house';
import Key from '@lucide/svelte/icons/key';
import Keyboard from '@lucide/svelte/icons/keyboard';
import Laptop from '@lucide/svelte/icons/laptop';
import Link from '@lucide/svelte/icons/link';
import List from '@lucide/svelte/icons/list';
import ListChecks from '@lucide/svelte/icons/list-checks';
import LockIcon from '@lucide/svelte/icons/lock';
import Maximize2 from '@lucide/svelte/icons/maximize-2';
import Minimize2 from '@lucide/svelte/icons/minimize-2';
import PanelRight from '@lucide/svelte/icons/panel-right';
import Paperclip from '@lucide/svelte/icons/paperclip';
import Pencil from '@lucide/svelte/icons/pencil';
import Pin from '@lucide/svelte/icons/pin';
import Play from '@lucide/svelte/icons/play';
import Plug from '@lucide/svelte/icons/plug';
import Plus from '@lucide/svelte/icons/plus';
import RectangleHorizontal from '@lucide/svelte/icons/rectangle-horizontal';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import ScanText from '@lucide/svelte/icons/scan-text';
import Scissors from '@lucide/svelte/icons/scissors';
import Search from '@lucide/svelte/icons/search';
import Settings2 from '@lucide/svelte/icons/settings-2';
import Shield from '@lucide/svelte/icons/shield';
import ShieldAlert from '@lucide/svelte/icons/shield-alert';
import Square from '@lucide/svelte/icons/square';
import SquareCheck from '@lucide/svelte/icons/square-check';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import Star from '@lucide/svelte/icons/star';
import StickyNote from '@lucide/svelte/icons/sticky-note';
import TextCursorInput from '@lucide/svelte/icons/text-cursor-input';
import TextWrap from '@lucide/svelte/icons/text-wrap';
import Trash2 from '@lucide/svelte/icons/trash-2';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import Undo2 from '@lucide/svelte/icons/undo-2';
import X from '@lucide/svelte/icons/x';
import SextantIcon from './SextantIcon.svelte';

/** The icons by their Lucide names, and Sextant's own. Each has its own import to keep the first load small. */
export const icons = {
  activity: Activity,
  'arrow-down': ArrowDown,
  'arrow-left': ArrowLeft,
  'arrow-right': ArrowRight,
  'arrow-up': ArrowUp,
  book: Book,
  'chart-column': ChartColumn,
  check: Check,
  'chevron-down': ChevronDown,
  'chevron-right': ChevronRight,
  'circle-alert': CircleAlert,
  'circle-dot': CircleDot,
  clock: Clock,
  code: Code,
  copy: Copy,
  cpu: Cpu,
  diff: Diff,
  download: Download,
  ellipsis: Ellipsis,
  file: FileIcon,
  'file-text': FileText,
  folder: Folder,
  'folder-down': FolderDown,
  globe: Globe,
  hand: Hand,
  hash: Hash,
  image: ImageIcon,
  history: HistoryIcon,
  house: House,
  key: Key,
  keyboard: Keyboard,
  laptop: Laptop,
  link: Link,
  list: List,
  'list-checks': ListChecks,
  lock: LockIcon,
  'maximize-2': Maximize2,
  'minimize-2': Minimize2,
  'panel-right': PanelRight,
  paperclip: Paperclip,
  clipboard: Clipboard,
  pencil: Pencil,
  pin: Pin,
  play: Play,
  plug: Plug,
  plus: Plus,
  'rectangle-horizontal': RectangleHorizontal,
  'rotate-cw': RotateCw,
  'scan-text': ScanText,
  scissors: Scissors,
  search: Search,
  'settings-2': Settings2,
  sextant: SextantIcon,
  shield: Shield,
  'shield-alert': ShieldAlert,
  square: Square,
  'square-check': SquareCheck,
  'square-terminal': SquareTerminal,
  star: Star,
  'sticky-note': StickyNote,
  'text-cursor-input': TextCursorInput,
  'text-wrap': TextWrap,
  'trash-2': Trash2,
  'triangle-alert': TriangleAlert,
  'undo-2': Undo2,
  x: X,
};

/** The name of an icon that `Icon` can draw. */
export type IconName = keyof typeof icons;

/** Short names that panel manifests may use as well. */
const manifestNames: Record<string, IconName> = {
  alert: 'triangle-alert',
  back: 'arrow-left',
  brand: 'sextant',
  cbox: 'square-check',
  clip: 'paperclip',
  down: 'chevron-down',
  drop: 'folder-down',
  errc: 'circle-alert',
  fwd: 'arrow-right',
  gear: 'settings-2',
  hist: 'history',
  home: 'house',
  input: 'text-cursor-input',
  kb: 'keyboard',
  measure: 'chart-column',
  more: 'ellipsis',
  note: 'sticky-note',
  pen: 'pencil',
  reload: 'rotate-cw',
  right: 'chevron-right',
  shieldw: 'shield-alert',
  side: 'panel-right',
  stop: 'square',
  tag: 'scan-text',
  term: 'square-terminal',
  tools: 'activity',
  trash: 'trash-2',
  undo: 'undo-2',
  up: 'arrow-up',
};

/** Returns the icon that a panel's manifest names, or "sticky-note" if the name is missing or unknown. */
export function panelIcon(name: string | undefined): IconName {
  if (!name) return 'sticky-note';
  if (Object.hasOwn(icons, name)) return name as IconName;
  return (Object.hasOwn(manifestNames, name) && manifestNames[name]) || 'sticky-note';
}
