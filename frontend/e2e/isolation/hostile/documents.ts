import { webrtc, type Hostile } from './panel';

const srcdoc = (script: string) =>
  `
    const f = document.createElement('iframe');
    const globals = 'const C=' + JSON.stringify(C) + ';const U=' + U + ';';
    f.srcdoc = '<script>' + globals + ${JSON.stringify(script)} + '<' + '/script>';
    document.body.append(f);
    await wait(400);
  `;

const natives = `
  try {
    const h = window.webkit && window.webkit.messageHandlers;
    for (const n of ['external', 'wails', 'ipc', 'sextant']) {
      try {
        h[n].postMessage('Q');
        h[n].postMessage('WQ');
        h[n].postMessage('BO:' + C + '/native');
        h[n].postMessage('C{"name":"main.App.Quit","args":[],"callbackID":"x"}');
      } catch {}
    }
  } catch {}
`;
/** Panels that reach for the native program or make documents without a policy. */
export const documents: Record<string, Hostile | string> = {
  // The program behind the window.
  'native-handlers': natives + 'await wait(100);',
  'native-chrome': `
    if (window.chrome && (chrome.webview || (chrome.runtime && chrome.runtime.sendMessage && chrome.runtime.id)))
      won('a native handler');
  `,
  'native-wails': `
    for (const n of ['go', 'runtime', 'WailsInvoke', 'wails', 'external']) {
      const v = window[n];
      if (v && n !== 'external') won('window.' + n);
      try {
        window.external.invoke('Q');
      } catch {}
    }
  `,
  'native-srcdoc': srcdoc(natives),
  'native-srcdoc-twice': `
    const inner = ${JSON.stringify(natives)};
    const a = document.createElement('iframe');
    a.srcdoc =
      '<iframe srcdoc="<script>' +
      inner.replaceAll('"', '&quot;').replaceAll('&', '&amp;') +
      '<' +
      '/script>"></iframe>';
    document.body.append(a);
    await wait(400);
  `,
  'srcdoc-fetch': srcdoc(`fetch(C + '/srcdoc').catch(()=>{}); new Image().src = C + '/srcdoc-img';`),
  'srcdoc-parent': srcdoc(
    `try { parent.parent.postMessage({ sextant: 'hello' }, '*'); top.location = C + '/srcdoc-top'; } catch {}`,
  ),
  'srcdoc-webrtc': srcdoc(`(async()=>{${webrtc}})()`),
  'srcdoc-preconnect': srcdoc(
    `const l=document.createElement('link');l.rel='preconnect';l.href=C;document.head.append(l);`,
  ),

  'srcdoc-markup': {
    html: `<!doctype html><iframe srcdoc="<script>
      new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:{{U}}'}]}).createDataChannel('x');
      location='{{C}}/srcdoc'</script>"></iframe>`,
    gone: true,
  },
  'srcdoc-node': `
    const a = document.createAttribute('srcdoc');
    try {
      a.value = '<script>location="' + C + '/node"<' + '/script>';
      const f = document.createElement('iframe');
      f.setAttributeNode(a);
      document.body.append(f);
    } catch {}
    try {
      const t = document.createElement('template');
      t.innerHTML = '<iframe srcdoc="<script>location=\\'' + C + "/template'<" + '/script>"></iframe>';
      document.body.append(t.content);
    } catch {}
    await wait(300);
  `,
  'srcdoc-xml': {
    script: `
      await new Promise((done) => {
        const x = new XMLHttpRequest();
        x.open('GET', 'x.txt');
        x.overrideMimeType('text/xml');
        x.responseType = 'document';
        x.onloadend = done;
        x.send();
        x.onload = () => {
          try {
            document.body.append(document.importNode(x.response.documentElement, true));
          } catch {}
        };
      });
      await wait(300);
    `,
    files: {
      'x.txt': `<div xmlns="http://www.w3.org/1999/xhtml">
        <iframe srcdoc="&lt;script>location='{{C}}/xml'&lt;/script>"></iframe></div>`,
    },
  },
  'srcdoc-policy': `
    try {
      const p = trustedTypes.createPolicy('evil', { createHTML: (x) => x });
      const f = document.createElement('iframe');
      f.srcdoc = p.createHTML('<script>location="' + C + '/policy"<' + '/script>');
      document.body.append(f);
    } catch {}
    await wait(300);
  `,
  'blank-child': `
    const f = put('iframe', {});
    await wait(100);
    try {
      new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + U }] }).createDataChannel('x');
      won('a window without the bridge');
    } catch {}
    try {
      f.contentWindow.location = C + '/child';
    } catch {}
    put('iframe', {
      src:
        'javascript:new RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:' +
        U +
        '"}]}).createDataChannel("x");location="' +
        C +
        '/jschild"',
    });
    await wait(300);
  `,
  'javascript-document': {
    script: `
      location =
        'javascript:"<script>location=\\'' +
        C +
        "/jsdoc';new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:" +
        U +
        "'}]}).createDataChannel(1)<" +
        '/script>"';
    `,
    gone: true,
  },
  'svg-webrtc': {
    script: `location = 'x.svg';`,
    files: {
      'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><script>
        location='{{C}}/svgleave';
        new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:{{U}}'}]}).createDataChannel('x')</script></svg>`,
    },
    gone: true,
  },
  'written-document': {
    script: `
      document.open();
      document.write(
        '<iframe src' +
          'doc="<script>location=\\'' +
          C +
          "/written'<" +
          '/script>"></iframe><script>location="' +
          C +
          '/written2"<' +
          '/script>',
      );
      document.close();
    `,
    gone: true,
  },
};
