import { type Hostile } from './panel';

/** Panels that exhaust the window or ask for permissions. */
export const limits: Record<string, Hostile | string> = {
  // Exhausting the window.
  'huge-state': `
    await sextant.state.set('x'.repeat(900000)).then(
      () => won('900 KB of state'),
      () => {},
    );
    await sextant.state.set({ started: 1 });
  `,
  'state-flood': `await Promise.allSettled(Array.from({ length: 150 }, (_, i) => sextant.state.set({ i })));`,
  'message-flood': {
    script: `for (let i = 0; i < 200000; i++) window.parent.postMessage({ jsonrpc: '2.0', id: i, method: 'ping' });`,
    gone: true,
  },
  'window-flood': {
    script: `for (let i = 0; i < 100000; i++) top.postMessage({ sextant: 'hello', i }, '*');`,
    gone: true,
  },
  'huge-message': { script: `window.parent.postMessage({ x: 'y'.repeat(40 << 20) });`, gone: true },
  'deep-message': `window.parent.postMessage(JSON.parse('['.repeat(3000) + ']'.repeat(3000))); await wait(100);`,
  'reload-loop': { html: `<!doctype html><script>location.reload()</script>`, gone: true },
  'frames-galore': `
    for (let i = 0; i < 20; i++)
      put('iframe', { srcdoc: '<script>top.postMessage({ sextant: "hello" }, "*")<' + '/script>' });
    await wait(300);
  `,
  'dom-bomb': `
    const d = document.createDocumentFragment();
    for (let i = 0; i < 60000; i++) d.append(document.createElement('i'));
    document.body.append(d);
    await wait(100);
  `,
  'message-spam-proposals': `
    for (let i = 0; i < 30; i++) sextant.message('open ' + C + '/proposed').catch(() => {});
    for (let i = 0; i < 30; i++) sextant.open(C + '/opened').catch(() => {});
    await wait(150);
  `,

  // Permissions a browser could ask a person for.
  dialogs: `
    const t = Date.now();
    try {
      alert('x');
      if (confirm('x')) won('confirm');
      if (prompt('x')) won('prompt');
      print();
    } catch {}
    if (Date.now() - t > 2000) won('a dialog stood');
  `,
  clipboard: `
    try {
      await navigator.clipboard.readText();
      won('clipboard read');
    } catch {}
    try {
      await navigator.clipboard.writeText('evil');
      won('clipboard written');
    } catch {}
  `,
  fullscreen: `
    try {
      await document.documentElement.requestFullscreen();
      won('fullscreen');
    } catch {}
    try {
      document.documentElement.webkitRequestFullscreen && document.documentElement.webkitRequestFullscreen();
    } catch {}
    await wait(100);
    if (document.fullscreenElement) won('fullscreen');
  `,
  'pointer-lock': `
    try {
      await document.body.requestPointerLock();
      await wait(50);
      if (document.pointerLockElement) won('pointer lock');
    } catch {}
    try {
      await screen.orientation.lock('portrait');
      won('orientation');
    } catch {}
  `,
  devices: `
    for (const f of [
      () => navigator.mediaDevices.getUserMedia({ audio: true }),
      () => navigator.mediaDevices.getDisplayMedia(),
      () => navigator.usb.requestDevice({ filters: [] }),
      () => navigator.credentials.get({ publicKey: { challenge: new Uint8Array(9) } }),
      () => navigator.requestMIDIAccess(),
    ])
      await Promise.race([
        wait(80),
        (async () => {
          try {
            await f();
            won('a device: ' + f);
          } catch {}
        })(),
      ]);
  `,
  geolocation: `
    await new Promise((done) => {
      try {
        navigator.geolocation.getCurrentPosition(() => {
          won('position');
          done();
        }, done);
      } catch {
        done();
      }
      setTimeout(done, 150);
    });
  `,
  notifications: `try { if ((await Notification.requestPermission()) === 'granted') won('notifications'); } catch {}`,
  'focus-theft': `put('input', { autofocus: '' }).focus(); window.focus(); await wait(200);`,
  sensors: `
    for (const n of ['Accelerometer', 'Gyroscope', 'AmbientLightSensor', 'IdleDetector', 'NDEFReader'])
      try {
        new window[n]().start();
      } catch {}
    try {
      await navigator.wakeLock.request();
      won('a wake lock');
    } catch {}
  `,
};
