import { expect, test } from 'vitest';
import { rank } from './ranking';

const entries = [
  { group: 'Panels', title: 'Notes', sub: "Markdown notes, stored in Sextant's data folder" },
  { group: 'Panels', title: 'Files', sub: 'The files of the workspace' },
  { group: 'Commands', title: 'New conversation', words: 'chat' },
  { group: 'Commands', title: 'Open a folder' },
  { group: 'Settings', title: 'General', sub: 'Appearance, dark mode' },
  { group: 'Settings', title: 'Folder the assistant works in at first', words: 'workspace' },
  { group: 'Tools', title: 'Save pdf', sub: 'Saves the page as a PDF' },
];
const titles = (query: string) => rank(entries, query).map(({ title }) => title);

test('a title that fits comes before a description, with its group', () => {
  expect(titles('folder')).toEqual(['Open a folder', 'Notes', 'Folder the assistant works in at first']);
  expect(titles('workspace')).toEqual(['Files', 'Folder the assistant works in at first']);
  expect(titles('files')).toEqual(['Files']);
  expect(titles('co')).toEqual(['New conversation']);
});

test('small words need not occur, and the order of words does not matter', () => {
  expect(titles('save as pdf')).toEqual(['Save pdf']);
  expect(titles('the folder to open')).toEqual(['Open a folder']);
  expect(titles('MODE dark')).toEqual(['General']);
  expect(titles('chat')).toEqual(['New conversation']);
  expect(titles('what can you do')).toEqual([]);
});

test('an empty query lists everything, and small words alone are searched for', () => {
  expect(titles(' ')).toHaveLength(entries.length);
  expect(titles('the')).toEqual(['Files', 'Folder the assistant works in at first', 'Save pdf']);
});
