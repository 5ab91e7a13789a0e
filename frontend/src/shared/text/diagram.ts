import type { MermaidConfig } from 'mermaid';

/** A drawn diagram. As an image, it can run no script and load nothing. */
export interface DiagramImage {
  url: string;
  width: number;
  height: number;
}

const TEXT_MAX = 20_000;
const EDGES_MAX = 300;
const CACHE_MAX = 30;
const REASON_MAX = 200;

const cache = new Map<string, DiagramImage>();
let queue: Promise<unknown> = Promise.resolve();
let drawings = 0;

/** Draws a Mermaid diagram in the colors of the current theme. Rejects with one line that says why it cannot. */
export function drawDiagram(code: string): Promise<DiagramImage> {
  // Mermaid has one configuration and measures in the page, so one diagram is drawn at a time.
  const drawing = queue.then(() => draw(code));
  queue = drawing.catch(() => undefined);
  return drawing;
}

async function draw(code: string): Promise<DiagramImage> {
  if (code.length > TEXT_MAX) throw new Error(`more than ${TEXT_MAX.toLocaleString('en')} characters`);
  const { default: mermaid } = await import('mermaid');
  const config = configuration();
  const key = JSON.stringify([config.themeVariables, code]);
  const known = cache.get(key);
  if (known) return known;
  mermaid.initialize(config);
  let svg: string;
  try {
    ({ svg } = await mermaid.render(`diagram-${++drawings}`, code));
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
  const image = imageOf(svg);
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(key, image);
  return image;
}

function configuration(): MermaidConfig {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: TEXT_MAX,
    maxEdges: EDGES_MAX,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    // What a diagram's own directives cannot change.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'suppressErrorRendering',
      'maxTextSize',
      'maxEdges',
      'htmlLabels',
      'theme',
      'themeCSS',
      'themeVariables',
      'fontFamily',
      'altFontFamily',
    ],
    fontFamily: 'system-ui, sans-serif',
    theme: 'base',
    themeVariables: {
      darkMode: document.documentElement.dataset.theme !== 'light',
      background: color('well'),
      primaryColor: color('active'),
      primaryTextColor: color('text-primary'),
      primaryBorderColor: color('control'),
      secondaryColor: color('raised'),
      tertiaryColor: color('raised'),
      lineColor: color('text-muted'),
      textColor: color('text-primary'),
      noteBkgColor: color('accent-soft'),
      noteTextColor: color('text-primary'),
      noteBorderColor: color('accent-line'),
      fontSize: '13px',
    },
  };
}

/** Makes an image of an SVG that Mermaid has sanitized. */
function imageOf(text: string): DiagramImage {
  const svg = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
  if (!svg) throw new Error('the diagram is empty');
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error('the diagram is empty');
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  const xml = new XMLSerializer().serializeToString(svg);
  return { url: `data:image/svg+xml,${encodeURIComponent(xml)}`, width, height };
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n').find((part) => part.trim()) ?? '';
  return line.replace(/[:.\s]+$/, '').slice(0, REASON_MAX);
}
