/** Pages that were kept. */
export const bookmarks = {
  'marked.keep': 'Bookmark this page',
  'marked.kept': 'Bookmarked. Remove the bookmark',
  'marked.off': 'There is no page to bookmark.',
  'marked.title': 'Bookmarks',
  'marked.search': 'Search the bookmarks',
  'marked.none': 'No bookmark holds all of these words.',
  'marked.empty': 'No page is bookmarked',
  'marked.empty.means': 'The star in the address bar keeps a page here. The assistant can keep one, too.',
  'marked.open': 'Open {title}, {url}',
  'marked.remove': 'Remove the bookmark {title}',
  'marked.removed': 'Removed the bookmark {title}.',
  'marked.undo': 'Undo',
  'marked.failed': 'The bookmarks could not be read: {reason}',
} as const;
