import type { MarkElement } from '../shared/api/types';

// A sample page for development: a small lamp shop drawn on a canvas, with its elements.

interface Lamp {
  name: string;
  price: string;
  about: string;
  ground: string;
  shade: string;
}

const LAMPS: Lamp[] = [
  { name: 'Fen', price: '72 €', about: 'Clamp arm, E14, 4 W', ground: '#F3E3D9', shade: '#C8553D' },
  { name: 'Moor', price: '64 €', about: 'Enamel dome, E14, 4 W', ground: '#E3EAE2', shade: '#4E6E5D' },
  { name: 'Sedge', price: '79 €', about: 'Steel, built-in LED', ground: '#F4EAD3', shade: '#D9A441' },
  { name: 'Tarn', price: '78 €', about: 'Blown glass, E27, 7 W', ground: '#DDE6EA', shade: '#B8C8CE' },
  { name: 'Heath', price: '58 €', about: 'Linen shade, E27, 8 W', ground: '#EFE6DA', shade: '#CDB9A0' },
  { name: 'Bog', price: '76 €', about: 'Bent oak arm, E14, 4 W', ground: '#DFE5EC', shade: '#3F5870' },
];

const NAV = ['Lamps', 'Shades', 'Bulbs', 'Journal'];
const FILTERS = ['Under 80 €', 'In stock', 'Dimmable'];

/** Draws the shop at the given size and scroll position, and returns its elements. Their boxes are in the view. */
export function drawShop(
  c: OffscreenCanvasRenderingContext2D,
  width: number,
  height: number,
  scroll: number,
): MarkElement[] {
  const elements: MarkElement[] = [];
  let id = 2;
  const add = (role: string, name: string, group: string, x: number, y: number, w: number, h: number, more = {}) => {
    const box = { x, y: y - scroll, width: w, height: h };
    const in_view = box.y < height && box.y + h > 0;
    elements.push({ id: id++, role, name, group, box, usable: true, in_view, ...more });
  };
  const text = (words: string, x: number, y: number, font: string, color = '#26221C') => {
    c.font = font;
    c.fillStyle = color;
    c.fillText(words, x, y - scroll);
    return c.measureText(words).width;
  };
  const box = (x: number, y: number, w: number, h: number, r: number, fill: string, edge = '') => {
    c.beginPath();
    c.roundRect(x, y - scroll, w, h, r);
    c.fillStyle = fill;
    c.fill();
    if (edge) {
      c.strokeStyle = edge;
      c.stroke();
    }
  };
  c.fillStyle = '#FBF9F5';
  c.fillRect(0, 0, width, height);
  c.textBaseline = 'alphabetic';

  add('link', 'alder&flint', 'Header', 28, 18, text('alder&flint', 28, 36, '700 20px serif'), 24);
  let x = 170;
  for (const name of NAV) {
    const w = text(name, x, 34, '13px serif');
    add('link', name, 'Header', x, 19, w, 20, name === 'Lamps' ? { states: ['current'] } : {});
    x += w + 34;
  }
  text('Search', width - 240, 34, '13px serif', '#8B8273');
  box(width - 240, 42, 104, 1, 0, '#B9B0A0');
  add('searchbox', 'Search', 'Header', width - 240, 18, 104, 24);
  add('link', 'Basket (0)', 'Header', width - 92, 19, text('Basket (0)', width - 92, 34, '13px serif'), 20);
  box(0, 58, width, 1, 0, '#E7E1D6');

  text('Desk lamps', 28, 112, '29px serif');
  text('Six that fit your filters. Made in small batches, repaired for life.', 28, 132, '13px serif', '#756C5D');
  const right = width - 28;
  text('Delivery postcode', right - 216, 92, '11px sans-serif', '#756C5D');
  box(right - 216, 100, 112, 34, 3, '#fff', '#9D9483');
  text('e.g. 10115', right - 205, 121, '13px sans-serif', '#9D9483');
  let fx = 28;
  FILTERS.forEach((name, i) => {
    c.font = '12px sans-serif';
    const w = c.measureText(name).width + 24;
    box(fx, 148, w, 26, 13, i < 2 ? '#26221C' : '#FBF9F5', '#D6CEC0');
    text(name, fx + 12, 165, '12px sans-serif', i < 2 ? '#FBF9F5' : '#26221C');
    add('checkbox', name, 'Filters and delivery', fx, 148, w, 26, i < 2 ? { states: ['checked'] } : {});
    fx += w + 16;
  });
  add('textbox', 'Delivery postcode', 'Filters and delivery', right - 216, 100, 112, 34);
  box(right - 86, 100, 68, 34, 3, '#E4DED2');
  text('Check', right - 70, 121, '13px sans-serif', '#6F6657');
  add('button', 'Check', 'Filters and delivery', right - 86, 100, 68, 34, { usable: false, states: ['disabled'] });

  const w = (width - 56 - 40) / 3;
  LAMPS.forEach((lamp, i) => {
    const lx = 28 + (i % 3) * (w + 20);
    const ly = 196 + Math.floor(i / 3) * 280;
    box(lx, ly, w, 174, 4, lamp.ground);
    box(lx + w / 2 - 30, ly + 50, 60, 40, 20, lamp.shade);
    box(lx + w / 2 - 2, ly + 90, 4, 56, 0, '#2F2A24');
    box(lx + w / 2 - 24, ly + 146, 48, 5, 2, '#2F2A24');
    text(lamp.name, lx, ly + 200, '700 15px serif');
    text(lamp.price, lx + w - 36, ly + 200, '15px serif');
    text(lamp.about, lx, ly + 218, '12px sans-serif', '#756C5D');
    box(lx, ly + 230, 104, 28, 3, '#FBF9F5', '#26221C');
    text('Add to basket', lx + 13, ly + 248, '12px sans-serif');
    add('link', lamp.name, 'Products', lx, ly, w, 174);
    add('button', `Add to basket · ${lamp.name}`, 'Products', lx, ly + 230, 104, 28);
  });
  return elements;
}
