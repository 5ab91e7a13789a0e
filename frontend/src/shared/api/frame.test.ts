import { describe, expect, it } from 'vitest';
import { parseFrame } from './frame';

function message(json: string, picture = [1, 2, 3], length = new TextEncoder().encode(json).length): ArrayBuffer {
  const head = new TextEncoder().encode(json);
  const bytes = new Uint8Array(4 + head.length + picture.length);
  new DataView(bytes.buffer).setUint32(0, length);
  bytes.set(head, 4);
  bytes.set(picture, 4 + head.length);
  return bytes.buffer;
}
const good = '{"frame":7,"tab":2,"width":800,"height":600,"scroll_x":0,"scroll_y":120}';

describe('a frame of the live view', () => {
  it('is read with its header and picture', async () => {
    const frame = parseFrame(message(good));
    expect(frame?.header).toEqual({ frame: 7, tab: 2, width: 800, height: 600, scroll_x: 0, scroll_y: 120 });
    expect(new Uint8Array(await frame!.picture.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
  });
  it('is skipped when its length points beyond its end', () => {
    expect(parseFrame(message(good, [1], 5000))).toBeNull();
    expect(parseFrame(message(good, [1], 0xffffffff))).toBeNull();
  });
  it('is skipped without a picture', () => {
    expect(parseFrame(message(good, []))).toBeNull();
  });
  it('is skipped when the header is not valid', () => {
    for (const bad of [
      '{',
      'null',
      '[]',
      '{"frame":1}',
      '{"frame":1,"tab":1,"width":0,"height":9}',
      '{"frame":"1","tab":1,"width":1,"height":1}',
    ])
      expect(parseFrame(message(bad))).toBeNull();
  });
  it('is skipped when it is too short', () => {
    for (let n = 0; n < 6; n++) expect(parseFrame(new ArrayBuffer(n))).toBeNull();
  });
});
