// Describes what a person sees without text: colors, drawn shapes, icons, slider handles, draggable elements. The
// descriptions name elements that have no other name.
(() => {
  const S = globalThis.__sextant

  const exact = {
    '#000000': 'black', '#ffffff': 'white', '#ff0000': 'red', '#00ff00': 'lime', '#0000ff': 'blue', '#ffff00': 'yellow',
    '#00ffff': 'cyan', '#ff00ff': 'magenta', '#808080': 'gray', '#c0c0c0': 'silver', '#800000': 'maroon', '#808000': 'olive',
    '#008000': 'green', '#800080': 'purple', '#008080': 'teal', '#000080': 'navy', '#ffa500': 'orange', '#ffc0cb': 'pink',
    '#a52a2a': 'brown', '#ffd700': 'gold', '#ee82ee': 'violet', '#4b0082': 'indigo', '#f5f5dc': 'beige', '#40e0d0': 'turquoise',
  }
  const hues = [[15, 'red'], [42, 'orange'], [68, 'yellow'], [165, 'green'], [195, 'cyan'], [258, 'blue'], [290, 'purple'], [340, 'pink'], [361, 'red']]

  // channels returns the channels of a computed color, 0–255 each and the last 0–1; null for unsupported notations.
  const channels = (text) => {
    const m = /^(rgba?|color)\((srgb )?([^)]*)\)$/.exec(text)
    if (!m || (m[1] === 'color' && !m[2])) return null
    const n = m[3].split(/[\s,/]+/).filter(Boolean).map(parseFloat)
    if (n.length < 3 || n.some(Number.isNaN)) return null
    const by = m[1] === 'color' ? 255 : 1
    return [Math.round(n[0] * by), Math.round(n[1] * by), Math.round(n[2] * by), n[3] ?? 1]
  }

  // color names a computed color: "red", "green #3c8f1a"; '' for a transparent one.
  S.color = (text) => {
    const c = channels(text)
    if (!c || c[3] < 0.1) return ''
    const hex = '#' + c.slice(0, 3).map((v) => v.toString(16).padStart(2, '0')).join('')
    if (exact[hex]) return exact[hex]
    const hi = Math.max(c[0], c[1], c[2])
    const lo = Math.min(c[0], c[1], c[2])
    if (hi - lo < 16) return `${hi < 48 ? 'black' : hi > 232 ? 'white' : 'gray'} ${hex}`
    const d = hi - lo
    let h = hi === c[0] ? ((c[1] - c[2]) / d + 6) % 6 : hi === c[1] ? (c[2] - c[0]) / d + 2 : (c[0] - c[1]) / d + 4
    h *= 60
    return `${hues.find(([end]) => h < end)[1]} ${hex}`
  }

  const shapes = new Set(['circle', 'ellipse', 'rect', 'polygon', 'polyline', 'line', 'path', 'text', 'image'])
  S.drawn = (el) => el.namespaceURI === 'http://www.w3.org/2000/svg' && shapes.has(el.localName)

  const kindOf = (el) => {
    switch (el.localName) {
      case 'rect': {
        const r = el.getBoundingClientRect()
        return Math.abs(r.width - r.height) < 1 ? 'square' : 'rectangle'
      }
      case 'polygon': {
        const n = el.points.numberOfItems
        return n === 3 ? 'triangle' : `polygon of ${n} corners`
      }
      case 'path': case 'polyline':
        return 'shape'
    }
    return el.localName
  }

  const ink = (el, cs = getComputedStyle(el)) => {
    const fill = el.localName === 'line' ? '' : S.color(cs.fill)
    if (fill && cs.fillOpacity !== '0') return fill
    const line = cs.stroke === 'none' ? '' : S.color(cs.stroke)
    return line && el.localName !== 'line' ? `${line}-outlined` : line
  }

  const ground = (cs) => (cs.backgroundImage === 'none' ? S.color(cs.backgroundColor) : '')

  const url = /^url\("?([^")]*)/
  const base = (src) => (/([^/?#]+?)(?:\.[a-z0-9]{2,5})?(?:[?#].*)?$/i.exec(src.startsWith('data:') ? '' : src)?.[1] ?? '').replace(/[-_]+/g, ' ').trim()

  // pictured does not follow a picture that the page's style shows only under the pointer.
  const pictures = new WeakMap()
  S.pictured = (el) => {
    const sign = `${el.getAttribute('class')}|${el.getAttribute('style')}`
    const known = pictures.get(el)
    if (known?.sign === sign && el.matches(':hover')) return known.name
    const m = url.exec(getComputedStyle(el).content)
    const name = m ? base(m[1]).slice(0, 60) : ''
    pictures.set(el, { sign, name })
    return name
  }

  const bare = (el) => !el.firstElementChild && !el.textContent.trim()

  // paint names an element without text: "red circle" for a drawn shape, "red" for a colored box. word is the name
  // derived from its class, '' for none.
  S.paint = (el, word) => {
    if (S.drawn(el)) return `${ink(el)} ${kindOf(el)}`.trim()
    if (!bare(el)) return word
    const color = ground(getComputedStyle(el))
    return color ? `${color} ${word}`.trim() : word
  }

  // hue returns the color of a drawn letter, which distinguishes it from equal letters.
  S.hue = (el) => (S.drawn(el) && el.localName === 'text' ? ink(el) : '')

  const rail = /slider|range|track/i
  const knob = /handle|thumb|knob|slider/i
  // slid returns where the middle of a slider's handle is on its track and where it can be, in percent: 30 % (5–95); ''
  // for other elements.
  S.slid = (el) => {
    const cls = el.getAttribute('class') ?? ''
    const p = el.parentElement
    if (!knob.test(cls) || !p || el.hasAttribute('role')) return ''
    if (!rail.test(cls + ' ' + (p.getAttribute('class') ?? '') + ' ' + p.id)) return ''
    const cs = getComputedStyle(el)
    if (cs.position === 'static') return ''
    const r = el.getBoundingClientRect()
    const t = p.getBoundingClientRect()
    const wide = t.width >= t.height
    if ((wide ? t.width : t.height) < 2 * (wide ? r.width : r.height)) return ''
    const length = wide ? t.width : t.height
    const percent = (v) => Math.round(Math.min(Math.max(v / length, 0), 1) * 100)
    // A handle sticks out at the ends of its track, or stays within it.
    const sticksOut = parseFloat(wide ? cs.marginLeft : cs.marginBottom) < 0 || cs.transform !== 'none' || cs.translate !== 'none'
    const lowest = percent(sticksOut ? 0 : (wide ? r.width : r.height) / 2)
    return `${percent(wide ? r.x + r.width / 2 - t.x : t.bottom - r.y - r.height / 2)} % (${lowest}–${100 - lowest})`
  }

  S.carried =
    '[draggable=true],.ui-sortable-handle,.ui-draggable:not(.ui-draggable-disabled),.draggable,.drag-handle,' +
    '[class*=sortable i]>li,[id*=sortable i]>li,[class*=draggable i]>li,[class*=reorder i]>li'
  S.movable = (el) => el.matches(S.carried)

  const spot = (r) => `${Math.round(r.width)}×${Math.round(r.height)} around ${Math.round(r.x + r.width / 2)},${Math.round(r.y + r.height / 2)}`
  const mostParts = 40

  // drawing describes the shapes of an svg with their positions in pixels of the viewport; '' for an icon.
  S.drawing = (svg) => {
    const box = svg.getBoundingClientRect()
    if (box.width < 40 || box.height < 40) return ''
    const parts = []
    let more = 0
    for (const el of svg.querySelectorAll([...shapes].join(','))) {
      if (el.closest('defs,clipPath,mask,pattern,symbol') || !S.shown(el)) continue
      const r = el.getBoundingClientRect()
      if (!r.width && !r.height) continue
      if (parts.length === mostParts) {
        more++
        continue
      }
      parts.push(part(el, r))
    }
    if (!parts.length) return ''
    return `(picture: ${parts.join('; ')}${more ? `; and ${more} more` : ''})`
  }

  const part = (el, r) => {
    if (el.localName === 'text') return `${ink(el)} "${S.fold(el.textContent).slice(0, 80)}" ${spot(r)}`
    if (el.localName === 'line') {
      const m = el.getScreenCTM()
      const at = (x, y) => {
        const p = new DOMPoint(x.baseVal.value, y.baseVal.value).matrixTransform(m)
        return `${Math.round(p.x)},${Math.round(p.y)}`
      }
      return `${ink(el)} line ${at(el.x1, el.y1)} to ${at(el.x2, el.y2)}`
    }
    return `${ink(el)} ${kindOf(el)} ${spot(r)}`.trim()
  }

  S.swatch = (el) => {
    if (!bare(el) || !S.shown(el)) return ''
    const r = el.getBoundingClientRect()
    if (r.width < 5 || r.height < 5 || r.width > 300 || r.height > 300) return ''
    const cs = getComputedStyle(el)
    if (url.test(cs.backgroundImage) || url.test(cs.content)) {
      const name = S.iconName(el)
      return name ? `(icon: ${name.slice(0, 60)})` : ''
    }
    const color = ground(cs)
    if (!color) return ''
    if (cs.borderTopStyle !== 'none' && cs.borderTopWidth !== '0px') return `(${color})`
    for (let p = S.up(el); p; p = S.up(p)) {
      const behind = channels(getComputedStyle(p).backgroundColor)
      if (behind && behind[3] > 0.1) return S.color(getComputedStyle(p).backgroundColor) === color ? '' : `(${color})`
    }
    return color === 'white' ? '' : `(${color})`
  }
})()
