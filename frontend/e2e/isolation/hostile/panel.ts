// Panels that try to escape their frame. Each is the body of a script that runs once the page has its bridge:
// `C` is the canary's address, `N` the same by host name, `S` the window's origin, `U` the canary's UDP port.
// `won(why)` reports something that no page may reach; `put(tag, attributes, text)` adds an element.
// The canary itself records what reaches it.

/** One hostile panel: a script, or its own files and manifest. */
export interface Hostile {
  script?: string;
  /** The whole entry page instead of a script. */
  html?: string;
  files?: Record<string, string>;
  manifest?: Record<string, unknown>;
  /** Symbolic links in the folder, by name. */
  links?: Record<string, string>;
  /** The page navigates away or is stopped, so it never reports that it is done. */
  gone?: boolean;
}

/** Opens a peer connection, which reaches the canary over UDP. */
export const webrtc = `
  try {
    const P = window.RTCPeerConnection || window.webkitRTCPeerConnection;
    if (P) {
      const p = new P({ iceServers: [{ urls: 'stun:127.0.0.1:' + U }] });
      p.createDataChannel('x');
      p.onicecandidate = () => {};
      p.setLocalDescription(await p.createOffer());
    }
  } catch {}
`;

/** Calls a tool; an answer is a breach. */
export const call = (tool: string, args = '{}') =>
  `await sextant.call('${tool}', ${args}).then(() => won('called ${tool}'), () => {});`;

/** A tool of a manifest. */
export const tool = (name: string, endpoint: string) => ({ name, description: 'x', endpoint, parameters: {} });
