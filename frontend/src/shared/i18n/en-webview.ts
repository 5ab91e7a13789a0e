/** Messages about the web page of a panel. */
export const webview = {
  'webview.loading': 'Opening the panel’s page',
  'webview.silent': 'The page is not responding',
  'webview.silent.means':
    'Its file may be missing or empty, or one of its scripts may never end. Its tools still work.',
  'webview.cut': 'The page was stopped',
  'webview.cut.means': 'It sent too many messages, or messages that were too large. Its tools still work.',
  'webview.reload': 'Reload the page',
  'webview.proposes': '{title} suggests a message to the assistant',
  'webview.proposes.take': 'Insert into message',
  'webview.link': '{title} wants to open an address in the browser',
  'webview.no': 'No',
} as const;
