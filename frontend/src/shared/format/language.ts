// WebKit says that its language is "C" where no locale is set, and Intl refuses that: what formats
// numbers by the language of the browser, as uPlot does while it loads, would leave the window blank.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}

export {};
