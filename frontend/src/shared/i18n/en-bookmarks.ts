/** Messages about bookmarks. */
export const bookmarks = {
  'bookmarks.add': 'Bookmark this page',
  'bookmarks.added': 'Bookmarked. Remove the bookmark',
  'bookmarks.off': 'There is no page to bookmark.',
  'bookmarks.title': 'Bookmarks',
  'bookmarks.search': 'Search the bookmarks',
  'bookmarks.none': 'No bookmark contains all of these words.',
  'bookmarks.empty': 'No bookmarks yet',
  'bookmarks.empty.means': 'Use the star in the address bar to add one. The assistant can, too.',
  'bookmarks.open': 'Open {title}, {url}',
  'bookmarks.remove': 'Remove the bookmark {title}',
  'bookmarks.removed': 'Removed the bookmark {title}.',
  'bookmarks.failed': 'The bookmarks could not be read: {reason}',
} as const;
