import type { HostContext } from '../../../domain/panels/pagehost';

// The style variables of MCP Apps, and the window's design tokens for them.
const STYLES: Record<string, string> = {
  '--color-background-primary': '--panel',
  '--color-background-secondary': '--raised',
  '--color-background-tertiary': '--well',
  '--color-background-inverse': '--text-primary',
  '--color-background-info': '--outside-soft',
  '--color-background-danger': '--danger-soft',
  '--color-background-success': '--ok-soft',
  '--color-background-warning': '--warn-soft',
  '--color-background-disabled': '--raised',
  '--color-text-primary': '--text-primary',
  '--color-text-secondary': '--text-secondary',
  '--color-text-tertiary': '--text-muted',
  '--color-text-inverse': '--panel',
  '--color-text-info': '--outside',
  '--color-text-danger': '--danger',
  '--color-text-success': '--ok',
  '--color-text-warning': '--warn',
  '--color-text-disabled': '--text-muted',
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
  '--font-text-xs-size': '--font-size-micro',
  '--font-text-sm-size': '--font-size-small',
  '--font-text-md-size': '--font-size-ui',
  '--font-text-lg-size': '--font-size-read',
  '--font-text-xs-line-height': '--line-height-micro',
  '--font-text-sm-line-height': '--line-height-small',
  '--font-text-md-line-height': '--line-height-ui',
  '--font-text-lg-line-height': '--line-height-read',
  '--font-heading-sm-size': '--font-size-title',
  '--font-heading-md-size': '--font-size-head',
  '--font-heading-lg-size': '--font-size-display',
  '--font-heading-sm-line-height': '--line-height-title',
  '--font-heading-md-line-height': '--line-height-head',
  '--font-heading-lg-line-height': '--line-height-display',
  '--border-radius-xs': '--radius-annotation',
  '--border-radius-sm': '--radius-s',
  '--border-radius-md': '--radius-m',
  '--border-radius-lg': '--radius-l',
  '--border-radius-full': '--radius-full',
  '--shadow-sm': '--shadow-1',
  '--shadow-md': '--shadow-2',
  '--shadow-lg': '--shadow-3',
};

// Variables that MCP Apps does not define. They are sent separately, because strict clients reject unknown names.
const OWN: Record<string, string> = {
  '--color-accent': '--accent',
  '--color-accent-ink': '--accent-ink',
};

/** Returns the host context for the page in `frame`. `more` overrides single fields. */
export function hostContext(frame: HTMLElement, more: Partial<HostContext> = {}): HostContext {
  const computed = getComputedStyle(document.documentElement);
  const read = (names: Record<string, string>) =>
    Object.fromEntries(Object.entries(names).map(([name, token]) => [name, computed.getPropertyValue(token).trim()]));
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
