/** What is said around a panel's own page. */
export const webview = {
  'webview.loading': 'Opening the panel’s page',
  'webview.silent': 'The page does not answer',
  'webview.silent.means': 'Its file may be missing or empty, or a script in it does not end. Its tools work as before.',
  'webview.cut': 'The page was stopped',
  'webview.cut.means': 'It sent more messages, or larger ones, than a page may. Its tools work as before.',
  'webview.reload': 'Reload the page',
  'webview.proposes': '{title} proposes a message to the assistant',
  'webview.proposes.take': 'Put it into the message box',
  'webview.link': '{title} wants to open an address in the browser',
  'webview.link.open': 'Open',
  'webview.no': 'No',
} as const;
