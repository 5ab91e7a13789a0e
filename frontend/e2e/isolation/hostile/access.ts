import { call, type Hostile } from './panel';

/** Panels that outlive their page, or reach for the token, the window or other panels. */
export const access: Record<string, Hostile | string> = {
  // Outliving the page.
  worker: `
    for (const u of [
      URL.createObjectURL(new Blob(['fetch("' + C + '/worker")'])),
      'w.js',
      'data:text/javascript,fetch("' + C + '/w")',
    ]) {
      try {
        new Worker(u);
      } catch {}
      try {
        new Worker(u, { type: 'module' });
      } catch {}
    }
    await wait(250);
  `,
  'shared-worker': `
    try {
      new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + C + '/shared")'])));
    } catch {}
    try {
      new SharedWorker('w.js');
    } catch {}
    await wait(200);
  `,
  'service-worker': {
    script: `try { await navigator.serviceWorker.register('sw.js'); won('a service worker'); } catch {}`,
    files: { 'sw.js': `self.onfetch = () => {}` },
  },
  cookies: `try { document.cookie = 'stolen=1; path=/'; if (document.cookie) won('cookies'); } catch {}`,
  storage: `
    try {
      localStorage.x = 1;
      won('localStorage');
    } catch {}
    try {
      sessionStorage.x = 1;
      won('sessionStorage');
    } catch {}
  `,
  'indexed-db': `
    await new Promise((done) => {
      try {
        const r = indexedDB.open('x');
        r.onsuccess = () => {
          won('indexedDB');
          done();
        };
        r.onerror = done;
      } catch {
        done();
      }
      setTimeout(done, 200);
    });
  `,
  caches: `try { await caches.open('x'); won('caches'); } catch {}`,
  'file-system': `
    try {
      await navigator.storage.getDirectory();
      won('a file system');
    } catch {}
    try {
      await showOpenFilePicker();
      won('files');
    } catch {}
  `,
  broadcast: `
    try {
      const b = new BroadcastChannel('sextant');
      b.onmessage = () => won('another page');
      b.postMessage('x');
    } catch {}
    await wait(100);
  `,

  // The token, the window and other panels.
  'parent-document': `
    for (const w of [top, Object.getPrototypeOf(window).parent])
      try {
        if (w && w !== window && w.document) won('the document of the window');
      } catch {}
    try {
      if (top.localStorage) won('its storage');
    } catch {}
    try {
      if (frameElement) won('its own frame');
    } catch {}
  `,
  opener: `
    if (window.opener) won('an opener');
    if (document.referrer) won('a referrer: ' + document.referrer);
    if (location.ancestorOrigins && location.ancestorOrigins[0] && location.ancestorOrigins[0] !== S)
      won('odd ancestors');
  `,
  'forged-messages': `
    for (const m of [
      { kind: 'approve' },
      { sextant: 'port' },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'bash', arguments: { command: 'id' } } },
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash"}}',
      null,
      7,
      { type: 'wails', data: 'Q' },
    ]) {
      try {
        top.postMessage(m, '*');
      } catch {}
    }
    await wait(150);
  `,
  'port-grab': {
    gone: true,
    script: `
      addEventListener('message', (e) => {
        if (e.ports.length) window.grabbed = e.ports;
      });
      for (let i = 0; i < 20; i++) top.postMessage({ sextant: 'hello' }, '*');
      await wait(200);
      for (const p of window.grabbed || [])
        p.postMessage(
          JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'bash', arguments: { command: 'touch owned' } },
          }),
        );
      await wait(200);
    `,
  },
  'tools-of-others': [
    'bash',
    'run_steps',
    'read_file',
    'create_tool',
    'navigate_page',
    'http_request',
    'victim_keep',
    'call_tool',
    'open_settings',
    'run_subagent',
    '__proto__',
    '',
  ]
    .map((tool) => call(tool, `{ command: 'id', path: '/etc/passwd', url: C, text: 'x' }`))
    .join('\n'),
  'tools-by-call-tool': call(
    'call_tool',
    `{ tool: 'bash', name: 'bash', args: { command: 'id' }, arguments: { command: 'id' } }`,
  ),
  'rpc-tricks': `
    const raw = (m) => window.parent.postMessage(m);
    raw({ jsonrpc: '2.0', id: { toString: 1 }, method: 'tools/call' });
    raw({ id: 1, method: 'constructor' });
    raw({ id: 2, method: '__proto__', params: { __proto__: { x: 1 } } });
    raw([]);
    raw({ jsonrpc: '2.0', id: 'host:1', result: { evil: 1 } });
    raw({ jsonrpc: '2.0', id: 3, method: 'sextant/context', params: { values: { file: 1, __proto__: 2 } } });
    await wait(100);
  `,
  'shell-api': `
    for (const p of ['/api/state', '/api/openapi.json', '/api/panels/victim/state', '/', '/ws'])
      await fetch(S + p).then(
        (r) => won('read ' + p),
        () => {},
      );
    await fetch(S + '/api/ai/tools/execute', {
      method: 'POST',
      mode: 'no-cors',
      body: '{"tool":"bash","args":{"command":"touch owned"}}',
    }).catch(() => {});
  `,
  'shell-guess-token': `
    await fetch(S + '/api/state', { headers: { Authorization: 'Bearer x' } }).then(
      () => won('an answer'),
      () => {},
    );
    await fetch(S + '/api/session', { method: 'POST', body: '{"code":"x"}' }).then(
      () => won('an answer'),
      () => {},
    );
  `,
  'other-pages': `
    const base = location.origin;
    for (const p of [
      '/',
      '/victim/index.html',
      '/../',
      '/.sextant/bridge.js',
      location.pathname.replace(/[^/]*$/, '') + '../',
    ])
      await fetch(base + p).then(
        (r) => {
          if (r.ok) won('read ' + p);
        },
        () => {},
      );
  `,
  'own-secrets': {
    script: `
      const base = location.href.replace(/[^/]*$/, '');
      for (const p of [
        'manifest.json',
        '.env',
        'server.mjs',
        'out.txt',
        'passwd',
        'dir/canary.txt',
        '%2e%2e/victim/index.html',
        '..%2fvictim%2findex.html',
        '..%5cvictim',
        'out.txt/',
        './/out.txt',
      ])
        await fetch(base + p).then(
          async (r) => {
            if (r.ok) won('read ' + p);
          },
          () => {},
        );
    `,
    files: { '.env': 'secret', 'server.mjs': 'secret' },
    links: { 'out.txt': '{{secret}}', passwd: '/etc/passwd', dir: '..' },
    manifest: { backend: { kind: 'process', command: 'node', args: ['server.mjs'] } },
  },
  'state-of-others': `
    await sextant.state.set({ won: [], id: 'victim', panel: 'victim', '../victim/state': 1 });
    await wait(50);
  `,
};
