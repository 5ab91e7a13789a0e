import type { FrameHeader } from './types';

/** A frame of the live view: its header and the encoded picture. */
export interface Frame {
  header: FrameHeader;
  picture: Blob;
}

/** The longest accepted header in bytes. A typical header has about 100. */
const HEADER_MAX = 4096;

/**
 * Parses a binary message of the live view: the length of the header (four bytes, big-endian), the header as JSON, and
 * the picture. Returns null for an invalid message.
 */
export function parseFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < 6) return null;
  const length = new DataView(buffer).getUint32(0);
  if (length === 0 || length > HEADER_MAX || 4 + length >= buffer.byteLength) return null;
  const header = parseHeader(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (!header) return null;
  return { header, picture: new Blob([new Uint8Array(buffer, 4 + length)], { type: 'image/jpeg' }) };
}

function parseHeader(text: string): FrameHeader | null {
  try {
    const raw = JSON.parse(text) as Partial<FrameHeader> | null;
    if (!raw || typeof raw !== 'object') return null;
    const numbers = [raw.frame, raw.tab, raw.width, raw.height];
    if (!numbers.every((n) => typeof n === 'number' && Number.isFinite(n))) return null;
    if ((raw.width ?? 0) <= 0 || (raw.height ?? 0) <= 0) return null;
    return { scroll_x: 0, scroll_y: 0, ...raw } as FrameHeader;
  } catch {
    return null;
  }
}
