import { StreamLanguage, type LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

interface Known {
  name: string;
  ends: string[];
  load: () => Promise<Extension>;
}

type Stream = Parameters<typeof StreamLanguage.define>[0];
const stream = async (mode: Promise<unknown>, name: string): Promise<Extension> =>
  StreamLanguage.define(((await mode) as Record<string, Stream>)[name]!);
const support = async (language: Promise<LanguageSupport>): Promise<Extension> => language;

const script = (typescript: boolean, jsx: boolean) => () =>
  support(import('@codemirror/lang-javascript').then((m) => m.javascript({ typescript, jsx })));

// Each language is a separate chunk, which is loaded with the first file in that language.
const KNOWN: Known[] = [
  { name: 'Go', ends: ['go'], load: () => support(import('@codemirror/lang-go').then((m) => m.go())) },
  { name: 'JavaScript', ends: ['js', 'mjs', 'cjs', 'jsx'], load: script(false, true) },
  { name: 'TypeScript', ends: ['ts', 'mts', 'cts'], load: script(true, false) },
  { name: 'TSX', ends: ['tsx'], load: script(true, true) },
  {
    name: 'JSON',
    ends: ['json', 'jsonc', 'webmanifest'],
    load: () => support(import('@codemirror/lang-json').then((m) => m.json())),
  },
  {
    name: 'Markdown',
    ends: ['md', 'markdown'],
    load: () => support(import('@codemirror/lang-markdown').then((m) => m.markdown())),
  },
  {
    name: 'HTML',
    ends: ['html', 'htm', 'svelte', 'vue'],
    load: () => support(import('@codemirror/lang-html').then((m) => m.html())),
  },
  {
    name: 'CSS',
    ends: ['css', 'scss', 'less'],
    load: () => support(import('@codemirror/lang-css').then((m) => m.css())),
  },
  {
    name: 'Python',
    ends: ['py', 'pyi'],
    load: () => support(import('@codemirror/lang-python').then((m) => m.python())),
  },
  { name: 'SQL', ends: ['sql'], load: () => support(import('@codemirror/lang-sql').then((m) => m.sql())) },
  {
    name: 'XML',
    ends: ['xml', 'svg', 'xsd', 'plist'],
    load: () => support(import('@codemirror/lang-xml').then((m) => m.xml())),
  },
  { name: 'YAML', ends: ['yaml', 'yml'], load: () => support(import('@codemirror/lang-yaml').then((m) => m.yaml())) },
  {
    name: 'Shell',
    ends: ['sh', 'bash', 'zsh'],
    load: () => stream(import('@codemirror/legacy-modes/mode/shell'), 'shell'),
  },
  { name: 'TOML', ends: ['toml'], load: () => stream(import('@codemirror/legacy-modes/mode/toml'), 'toml') },
  { name: 'Rust', ends: ['rs'], load: () => stream(import('@codemirror/legacy-modes/mode/rust'), 'rust') },
  { name: 'C', ends: ['c', 'h'], load: () => stream(import('@codemirror/legacy-modes/mode/clike'), 'c') },
  { name: 'C++', ends: ['cc', 'cpp', 'hpp'], load: () => stream(import('@codemirror/legacy-modes/mode/clike'), 'cpp') },
  { name: 'Java', ends: ['java'], load: () => stream(import('@codemirror/legacy-modes/mode/clike'), 'java') },
  { name: 'Ruby', ends: ['rb'], load: () => stream(import('@codemirror/legacy-modes/mode/ruby'), 'ruby') },
  {
    name: 'INI',
    ends: ['ini', 'conf', 'properties', 'env'],
    load: () => stream(import('@codemirror/legacy-modes/mode/properties'), 'properties'),
  },
  { name: 'Diff', ends: ['diff', 'patch'], load: () => stream(import('@codemirror/legacy-modes/mode/diff'), 'diff') },
];

const BY_NAME: Record<string, string> = {
  dockerfile: 'Shell',
  makefile: 'Shell',
  '.gitignore': 'INI',
  '.bashrc': 'Shell',
};

function known(file: string): Known | undefined {
  const name = file.toLowerCase();
  const end = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  return KNOWN.find((one) => one.name === BY_NAME[name]) ?? KNOWN.find((one) => one.ends.includes(end));
}

/** Returns the name of a file's language, "" for plain text. */
export const languageName = (file: string): string => known(file)?.name ?? '';

/** Loads the editor extension for a file's language. For plain text it is empty. */
export const loadLanguage = async (file: string): Promise<Extension> => (await known(file)?.load()) ?? [];

/** Names that are used after a code fence, besides the names and endings of files. */
const FENCES: Record<string, string> = {
  golang: 'Go',
  node: 'JavaScript',
  python3: 'Python',
  postgresql: 'SQL',
  sqlite: 'SQL',
  mysql: 'SQL',
  console: 'Shell',
  'shell-session': 'Shell',
  rs: 'Rust',
  'c++': 'C++',
  docker: 'Shell',
};

/** Loads the editor extension for the language that a code fence names. Returns null if it is unknown. */
export async function loadFence(name: string): Promise<Extension | null> {
  const word = name.toLowerCase();
  const language =
    KNOWN.find((one) => one.name === (FENCES[word] ?? BY_NAME[word]) || one.name.toLowerCase() === word) ??
    KNOWN.find((one) => one.ends.includes(word));
  return (await language?.load()) ?? null;
}
