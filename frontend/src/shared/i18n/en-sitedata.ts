/** Messages about what sites stored in the browser. */
export const siteData = {
  'settings.browser.means':
    'The browser that you and the assistant share. Its cookies and logins are its own: other browsers on this computer do not have them.',
  'sites.title': 'Sites with cookies',
  'sites.means': 'You may be signed in there. Forgetting a site signs you out and deletes its visits and stored data.',
  'sites.failed': 'The sites could not be read: {reason}',
  'sites.none': 'No site has stored cookies.',
  'sites.stopped': 'The browser has not started yet.',
  'sites.show': 'Show the sites',
  'sites.site': 'Site',
  'sites.cookies': 'Cookies',
  'sites.forget': 'Forget',
  'sites.forget.ask': 'Forget {site}?',
  'sites.forget.done': 'Forgot {site}.',
  'sites.all': 'Delete all site data',
  'sites.all.label': 'Cookies, stored data and cache',
  'sites.all.label.means': 'Of all sites. History, bookmarks and downloads stay.',
  'sites.all.ask': 'Delete the cookies and data of all sites?',
  'sites.all.ask.means':
    'You are signed out everywhere in this browser. Pages that are open keep running until they are reloaded.',
  'sites.all.done': 'Deleted the data of all sites.',
  'sites.history': 'History',
  'sites.history.means': 'The pages that you and the assistant opened here.',
  'sites.history.done': 'Deleted the history.',
} as const;
