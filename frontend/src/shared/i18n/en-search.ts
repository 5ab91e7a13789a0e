/** Search in conversations. */
export const search = {
  'search.messages': 'In messages',
  'search.titles': 'Titles',
  'search.placeholder': 'Search titles and messages',
  'search.help':
    'Filters: who:me, who:assistant, who:tool, tool:bash, site:shop.example, after:2026-11, before:2026-11-25, "exact words"',
  'search.none': 'No title or message has “{query}”.',
  'search.more': 'More messages fit. Add a word or a filter, such as after:2026-11.',
  'search.indexing': 'Older messages are still being indexed and may be missing.',
  'search.indexing.short': 'Still indexing',
  'search.result': 'Result',
  'search.attachment': 'Attachment',
  'find.placeholder': 'Find in this conversation',
  'find.none': 'No results',
  'find.count': '{total} found',
  'find.position': '{at} of {total}',
  'find.older': 'Previous message',
  'find.newer': 'Next message',
  'find.close': 'Close',
  'command.find': 'Find in conversation',
};
