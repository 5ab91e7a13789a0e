import { expect, test } from 'vitest';
import { rank } from './ranking';

const entries = [
  { group: 'Panels', title: 'Notes', sub: "Markdown notes, stored in Sextant's data folder" },
  { group: 'Panels', title: 'Files', sub: 'The files of the workspace' },
  { group: 'Commands', title: 'New conversation', words: 'chat' },
  { group: 'Commands', title: 'Open a folder' },
  { group: 'Settings', title: 'General', sub: 'Appearance, dark mode' },
  { group: 'Settings', title: 'Folder the assistant works in at first', words: 'workspace', isSentence: true },
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

test('a number comes before numbers that contain it', () => {
  const marks = ['1  Ok', '10  Ok', '17  Add to basket · Moor', '117  Go', '171  Go'].map((title) => ({
    group: '',
    title,
  }));
  expect(rank(marks, '17').map(({ title }) => title)[0]).toBe('17  Add to basket · Moor');
  expect(rank(marks, '1').map(({ title }) => title)[0]).toBe('1  Ok');
});

test('an empty query lists everything, and small words alone are searched for', () => {
  expect(titles(' ')).toHaveLength(entries.length);
  expect(titles('the')).toEqual(['Files', 'Folder the assistant works in at first', 'Save pdf']);
});
