// The page's end of the bridge: the first element of every document of a panel's page, and part of
// that page. It protects nothing (the window does); it only connects the page with the window. All
// messages are JSON text on one MessagePort.
//
// A view written for MCP Apps posts its messages to window.parent and listens for "message"; both
// are passed over the port, so that it works unchanged. window.sextant is the shorter API for pages
// written for Sextant.
//
// surface.js follows in the same function: it adds to `answers` what the window may ask of the page.

const host = window.parent;
const own = 'sextant:';
const waiting = new Map();
const unsent = [];
const listeners = new Map();
/** What the window may ask, by method: (params) => result or promise of it. */
const answers = Object.create(null);
/** The newest host context. */
let context = {};
let port = null;
let next = 0;

// A file that is dropped on the page must not replace the window. The page's own drop areas still get the events.
for (const kind of ['dragover', 'drop']) addEventListener(kind, (event) => event.preventDefault());

const send = (message) => {
  const text = JSON.stringify(message);
  if (port) port.postMessage(text);
  else if (unsent.length < 256) unsent.push(text);
};

const notify = (method, params = {}) => send({ jsonrpc: '2.0', method, params });

const request = (method, params = {}) =>
  new Promise((resolve, reject) => {
    const id = own + ++next;
    waiting.set(id, { resolve, reject });
    send({ jsonrpc: '2.0', id, method, params });
  });

const tell = (what, value) => {
  for (const listener of [...(listeners.get(what) ?? [])]) {
    try {
      listener(value);
    } catch (error) {
      // An error of the page's listener belongs in its console.
      setTimeout(() => {
        throw error;
      });
    }
  }
};

// What a view gets as window.parent: it has what such a view uses of it, and can be the source of a
// message, which only a real port or window can.
const parent = new MessageChannel().port1;
Object.defineProperty(parent, 'postMessage', { value: (message) => send(message) });

const deliver = (message) => window.dispatchEvent(new MessageEvent('message', { data: message, source: parent }));

/** Applies the window's colours to the root element, where the page's own rules can override them. */
const applyTheme = (changed) => {
  context = { ...context, ...changed };
  const root = document.documentElement;
  if (!root) return;
  if (context.theme) {
    root.dataset.theme = context.theme;
    root.style.colorScheme = context.theme;
  }
  const worn = { ...changed.styles?.variables, ...changed.sextant?.variables };
  for (const [name, value] of Object.entries(worn)) root.style.setProperty(name, value);
  if (context.locale && !root.lang) root.lang = context.locale;
};

const answer = async ({ id, method, params }) => {
  try {
    send({ jsonrpc: '2.0', id, result: (await answers[method](params ?? {})) ?? {} });
  } catch (error) {
    send({ jsonrpc: '2.0', id, error: { code: -32000, message: String(error?.message ?? error) } });
  }
};

const hear = (message) => {
  if (typeof message.id === 'string' && message.id.startsWith(own) && !message.method) {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) asked?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else asked?.resolve(message.result);
    return;
  }
  if (message.id !== undefined && answers[message.method]) {
    void answer(message);
    return;
  }
  if (message.method === 'ui/notifications/host-context-changed') {
    const { theme } = context;
    applyTheme(message.params ?? {});
    tell('context', context);
    if (context.theme !== theme) tell('theme', context.theme);
  }
  deliver(message);
};

/** The text of an MCP result, for people and for errors. */
const textOf = (result) =>
  (result?.content ?? [])
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');

const call = async (name, args = {}) => {
  const result = await request('tools/call', { name, arguments: args });
  if (result.isError) throw Object.assign(new Error(textOf(result)), { result });
  return result.structuredContent ?? textOf(result);
};

const ready = new Promise((resolve) => {
  answers['sextant/welcome'] = (params) => {
    applyTheme(params);
    resolve(context);
  };
});

const sextant = Object.freeze({
  /** Resolves with the host context (theme, locale, containerDimensions …) once the window answers. */
  ready,
  /** Calls a tool of this panel, or one of permissions.call_tools; rejects with the error. */
  call,
  /** Up to 256 KB of JSON that the window stores for the panel; null if nothing is stored. */
  state: Object.freeze({
    get: async () => (await request('sextant/state.get')).state,
    set: async (state) => void (await request('sextant/state.set', { state })),
  }),
  /** Publishes values of keys that the manifest's `context` names. */
  publish: async (values) => void (await request('sextant/context', { values })),
  /** Offers the person a message to the assistant; rejects if they decline. */
  message: async (text) => void (await request('ui/message', { role: 'user', content: [{ type: 'text', text }] })),
  /** Asks the person to open an address in the browser; rejects if they decline. */
  open: async (url) => void (await request('ui/open-link', { url })),
  /** The current host context. */
  get context() {
    return context;
  },
  /** Listens for 'theme' (light or dark) and 'context'; returns a function that stops it. */
  on(what, listener) {
    const list = listeners.get(what) ?? new Set();
    listeners.set(what, list.add(listener));
    return () => list.delete(listener);
  },
});

/** Passes on keys that belong to the window while the page has the focus. */
const key = (event) => {
  if (event.key !== 'F6' && (event.key !== 'Escape' || event.defaultPrevented)) return;
  if (event.key === 'F6') event.preventDefault();
  notify('sextant/key', { key: event.key, shift: event.shiftKey });
};

/**
 * Closes what the Content-Security-Policy leaves open in Chromium; this script runs before the page's. That is WebRTC,
 * the connection that a navigation opens before the window's policy refuses it, and documents without this script
 * (srcdoc, javascript:). With the policy's Trusted Types, the page can make no policy except ours.
 */
const closeGaps = () => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'RTCIceTransport']) {
    delete window[name];
  }
  for (const name of ['responseXML', 'response']) {
    const { get } = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, name);
    Object.defineProperty(XMLHttpRequest.prototype, name, {
      get() {
        const value = get.call(this);
        return value instanceof Node ? null : value;
      },
    });
  }
  const origin = `${new URL(document.baseURI).origin}/`;
  window.navigation?.addEventListener('navigate', (event) => {
    if (!event.destination.url.startsWith(origin)) event.preventDefault();
  });
  if (!window.trustedTypes) return;
  trustedTypes.createPolicy('default', {
    createHTML: (html, _, sink) => (/srcdoc/i.test(sink) ? '' : html.replace(/srcdoc/gi, 'srcd0c')),
    createScript: (code, _, sink) => (/^Location/.test(sink) ? null : code),
    createScriptURL: (url) => url,
  });
  // Policies of libraries return text, which then passes ours.
  const plain = (name, rules = {}) => Object.freeze({ name, ...rules });
  Object.defineProperty(TrustedTypePolicyFactory.prototype, 'createPolicy', { value: plain });
};

const start = () => {
  closeGaps();
  Object.defineProperty(window, 'parent', { value: parent });
  Object.defineProperty(window, 'sextant', { value: sextant });
  const accept = (event) => {
    if (event.source !== host || event.data?.sextant !== 'port' || !event.ports[0]) return;
    event.stopImmediatePropagation();
    window.removeEventListener('message', accept, true);
    port = event.ports[0];
    port.onmessage = ({ data }) => hear(JSON.parse(data));
    for (const text of unsent.splice(0)) port.postMessage(text);
  };
  window.addEventListener('message', accept, true);
  window.addEventListener('keydown', key);
  host.postMessage({ sextant: 'hello' }, '*');
};
