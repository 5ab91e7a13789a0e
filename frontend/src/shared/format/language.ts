// On a system without a locale, WebKit reports the language "C", which Intl rejects. uPlot formats numbers while it
// loads, so the error would leave the window blank.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}

export {};
