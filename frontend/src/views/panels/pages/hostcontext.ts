import type { HostContext } from '../../../domain/panels/pagehost';

// The names of MCP Apps beside those of our own tokens.
const STYLES: Record<string, string> = {
  '--color-background-primary': '--panel',
  '--color-background-secondary': '--raised',
  '--color-background-tertiary': '--well',
  '--color-background-inverse': '--text-1',
  '--color-background-info': '--outside-soft',
  '--color-background-danger': '--danger-soft',
  '--color-background-success': '--ok-soft',
  '--color-background-warning': '--warn-soft',
  '--color-background-disabled': '--raised',
  '--color-text-primary': '--text-1',
  '--color-text-secondary': '--text-2',
  '--color-text-tertiary': '--text-3',
  '--color-text-inverse': '--panel',
  '--color-text-info': '--outside',
  '--color-text-danger': '--danger',
  '--color-text-success': '--ok',
  '--color-text-warning': '--warn',
  '--color-text-disabled': '--text-3',
  '--color-border-primary': '--line-strong',
  '--color-border-secondary': '--line',
  '--color-border-tertiary': '--line',
  '--color-border-info': '--outside-line',
  '--color-border-danger': '--danger-line',
  '--color-border-success': '--ok-line',
  '--color-border-warning': '--warn-line',
  '--color-ring-primary': '--ring',
  '--font-sans': '--font',
  '--font-mono': '--mono',
  '--font-text-xs-size': '--t-micro',
  '--font-text-sm-size': '--t-small',
  '--font-text-md-size': '--t-ui',
  '--font-text-lg-size': '--t-read',
  '--font-text-xs-line-height': '--l-micro',
  '--font-text-sm-line-height': '--l-small',
  '--font-text-md-line-height': '--l-ui',
  '--font-text-lg-line-height': '--l-read',
  '--font-heading-sm-size': '--t-title',
  '--font-heading-md-size': '--t-head',
  '--font-heading-lg-size': '--t-display',
  '--font-heading-sm-line-height': '--l-title',
  '--font-heading-md-line-height': '--l-head',
  '--font-heading-lg-line-height': '--l-display',
  '--border-radius-xs': '--r-mark',
  '--border-radius-sm': '--r-s',
  '--border-radius-md': '--r-m',
  '--border-radius-lg': '--r-l',
  '--border-radius-full': '--r-full',
  '--shadow-sm': '--e-1',
  '--shadow-md': '--e-2',
  '--shadow-lg': '--e-3',
};

// Not of the standard, whose readers take no other names: what a page needs to look like the rest.
const OWN: Record<string, string> = {
  '--color-accent': '--accent',
  '--color-accent-ink': '--accent-ink',
};

/** What a page that has `frame` to itself is told of the window; `more` is what is otherwise with it. */
export function hostContext(frame: HTMLElement, more: Partial<HostContext> = {}): HostContext {
  const worn = getComputedStyle(document.documentElement);
  const read = (names: Record<string, string>) =>
    Object.fromEntries(Object.entries(names).map(([name, token]) => [name, worn.getPropertyValue(token).trim()]));
  return {
    theme: document.documentElement.dataset.theme === 'light' ? 'light' : 'dark',
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: 'desktop',
    userAgent: 'sextant',
    displayMode: 'inline',
    availableDisplayModes: ['inline'],
    containerDimensions: { width: frame.clientWidth, height: frame.clientHeight },
    styles: { variables: read(STYLES) },
    sextant: { variables: read(OWN) },
    ...more,
  };
}
