// Computes the positions of elements: clipping by scrolling boxes, covering layers, and points that a press hits.
(() => {
  const S = globalThis.__sextant

  const cut = (a, b) => {
    const x = Math.max(a.x, b.x)
    const y = Math.max(a.y, b.y)
    return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y }
  }
  const some = (r) => r.w > 0.5 && r.h > 0.5
  const rect = (r) => ({ x: r.x, y: r.y, w: r.width, h: r.height })
  S.cut = cut

  S.scene = (o, view) => {
    let win = { x: 0, y: 0, w: view.w, h: view.h }
    if (o.clip) win = cut(win, o.clip)
    const modals = document.querySelectorAll(':modal')
    // It is expensive to read the window's scroll position, so it is read once.
    return { win, scrolledX: scrollX, scrolledY: scrollY, clips: new Map(), rootKind: { kids: new Map() }, modal: modals[modals.length - 1] ?? null, up: S.up }
  }

  // kindOf returns the style properties of el that affect its descendants. Reading styles is expensive, so it reads
  // those of three of many similar elements (same tag, class, style and state, in similar parents).
  const kindOf = (el, parent) => {
    const sign = !el.hasAttributes() ? el.localName : `${el.localName}|${el.getAttribute('class') ?? ''}|${el.getAttribute('style') ?? ''}|${el.getAttribute('data-state') ?? ''}|${el.getAttribute('aria-expanded') ?? ''}${el.hasAttribute('open')}`
    let k = parent.kids.get(sign)
    if (!k) parent.kids.set(sign, (k = { kids: new Map(), style: '', read: 0, mixed: false, facts: null }))
    if (k.read >= 3 && !k.mixed) return k
    const cs = getComputedStyle(el)
    const display = cs.display
    const ox = cs.overflowX
    const oy = cs.overflowY
    const facts = {
      pos: cs.position, ox, oy,
      clips: (ox !== 'visible' || oy !== 'visible') && display !== 'inline' && display !== 'contents',
      holds: cs.transform !== 'none' || cs.filter !== 'none' || cs.perspective !== 'none' || cs.contain !== 'none',
      dead: cs.pointerEvents === 'none',
    }
    const style = Object.values(facts).join()
    if (k.read++ && k.style !== style) k.mixed = true
    k.style = style
    k.facts = facts
    return k.mixed ? { kids: k.kids, facts } : k
  }

  // info returns the chain of boxes that clip el: each {rect, scrolls, up}, innermost first. Fixed and absolutely
  // positioned elements are not clipped by the boxes between them and their containing block.
  const info = (el, ctx) => {
    let i = ctx.clips.get(el)
    if (i) return i
    const parent = ctx.up(el)
    const p = parent ? info(parent, ctx) : null
    const kind = kindOf(el, p ? p.kind : ctx.rootKind)
    const f = kind.facts
    const mine = !p ? null : f.pos === 'fixed' ? p.fixed : f.pos === 'absolute' ? p.abs : p.flow
    let own = mine
    if (f.clips && el !== document.documentElement && el !== document.body) {
      own = { el, ox: f.ox, oy: f.oy, scrolls: /auto|scroll/.test(f.ox + f.oy), up: mine, rect: null }
    }
    i = {
      kind, mine, flow: own, dead: f.dead, isFixed: f.pos === 'fixed' || !!p?.isFixed,
      abs: f.pos !== 'static' || f.holds ? own : (p?.abs ?? null), fixed: f.holds ? own : (p?.fixed ?? null),
    }
    ctx.clips.set(el, i)
    return i
  }
  S.info = info

  const clipRect = (c) => {
    if (c.rect) return c.rect
    const r = c.el.getBoundingClientRect()
    const k = r.width && c.el.offsetWidth ? r.width / c.el.offsetWidth : 1
    c.rect = { x: r.x + c.el.clientLeft * k, y: r.y + c.el.clientTop * k, w: c.el.clientWidth * k, h: c.el.clientHeight * k }
    return c.rect
  }

  S.clipRect = clipRect

  const areaBox = (area) => {
    const name = S.closest(area, (p) => p.localName === 'map')?.name
    const img = name ? Array.from(area.getRootNode().querySelectorAll('img[usemap]')).find((i) => i.useMap === '#' + name) : null
    if (!img) return null
    const all = rect(img.getBoundingClientRect())
    const cs = getComputedStyle(img)
    const r = { x: all.x + img.clientLeft + (parseFloat(cs.paddingLeft) || 0), y: all.y + img.clientTop + (parseFloat(cs.paddingTop) || 0), w: img.width, h: img.height }
    const n = area.coords.split(/[\s,]+/).map(parseFloat).filter((v) => !Number.isNaN(v))
    const shape = area.shape.toLowerCase()
    if (shape === 'default' || n.length < 3) return r
    if (shape.startsWith('circ')) return cut(r, { x: r.x + n[0] - n[2], y: r.y + n[1] - n[2], w: 2 * n[2], h: 2 * n[2] })
    const xs = n.filter((_, i) => i % 2 === 0)
    const ys = n.filter((_, i) => i % 2)
    const x = Math.min(...xs)
    const y = Math.min(...ys)
    return cut(r, { x: r.x + x, y: r.y + y, w: Math.max(...xs) - x, h: Math.max(...ys) - y })
  }

  const boxOf = (el) => {
    const r = rect(el.getBoundingClientRect())
    if (some(r)) return r
    if (el.localName === 'area') return areaBox(el) ?? r
    // A link around floated or absolutely positioned content has no box of its own, so its children's are used.
    for (const k of S.kids(el)) {
      if (k.nodeType !== 1) continue
      const b = k.localName === 'slot' || getComputedStyle(k).display === 'contents' ? boxOf(k) : rect(k.getBoundingClientRect())
      if (some(b)) return b
    }
    return r
  }

  const drawn = { visibilityProperty: true }

  // place returns the visible part of a candidate: {box, vis, where}, or null when nobody can use it.
  S.place = (c, ctx) => {
    const at = c.box ?? c.el
    if (!(c.drawn && at === c.el) && !at.checkVisibility(drawn) && getComputedStyle(at).visibility !== 'visible') return null
    const box = boxOf(at)
    if (!some(box)) return null
    let vis = box
    let where = ''
    const i = info(at, ctx)
    for (let k = i.mine; k; k = k.up) {
      const r = clipRect(k)
      const v = cut(vis, r)
      if (some(v)) {
        vis = v
        continue
      }
      if (!k.scrolls) return null
      const dy = k.el.scrollTop
      const dx = k.el.scrollLeft
      if (vis.y + vis.h <= r.y + 0.5 && dy <= 0) return null
      if (vis.x + vis.w <= r.x + 0.5 && dx <= 0 && getComputedStyle(k.el).direction === 'ltr') return null
      where = vis.y + vis.h <= r.y + 0.5 || vis.x + vis.w <= r.x + 0.5 ? 'above' : 'below'
      vis = cut(r, r)
    }
    const v = cut(vis, ctx.win)
    if (some(v)) return { box, vis: v, where: where || 'in', dead: i.dead, fixed: i.isFixed }
    if (i.isFixed) return null
    if (vis.y + vis.h + ctx.scrolledY <= 0) return null
    if (vis.x + vis.w + ctx.scrolledX <= 0 && getComputedStyle(document.documentElement).direction === 'ltr') return null
    const before = vis.y + vis.h <= ctx.win.y + 0.5 || (vis.x + vis.w <= ctx.win.x && vis.y < ctx.win.y + ctx.win.h)
    where = before ? 'above' : 'below'
    return { box, vis, where, dead: i.dead, fixed: i.isFixed }
  }

  // lid returns the fixed layer that covers the whole viewport at any scroll position, null for none. Other fixed
  // elements may be on top of it.
  S.lid = (ctx) => {
    const { x, y, w, h } = ctx.win
    let lid = null
    for (const fx of [0.02, 0.5, 0.98]) {
      for (const fy of [0.02, 0.5, 0.98]) {
        let layer = null
        for (let p = S.deep(x + w * fx, y + h * fy); p; p = S.up(p)) if (getComputedStyle(p).position === 'fixed') layer = p
        if (!layer) return null
        const r = layer.getBoundingClientRect()
        if (r.x <= x + 1 && r.y <= y + 1 && r.right >= x + w - 1 && r.bottom >= y + h - 1) lid ??= layer
      }
    }
    return lid
  }

  // hits reports whether a press on `top` reaches `el`. A press on a label reaches its control.
  S.hits = (el, top) => {
    for (let p = top; p; p = S.up(p)) {
      if (p === el) return true
      if (p.localName === 'label' && p.control === el) return true
    }
    return false
  }

  const innerControl = (el, top) => {
    for (let p = top; p && p !== el; p = S.up(p)) {
      if (p.localName === 'label' && p.control === el) return false
      if (p !== el && (S.control(p) || p.hasAttribute('onclick'))) return true
    }
    return false
  }

  const grid = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9], [0.02, 0.5], [0.98, 0.5], [0.5, 0.04], [0.5, 0.96]]

  S.spots = (at, win, many) => {
    const out = []
    let rects = Array.from(at.getClientRects(), rect).filter(some)
    if (!rects.length) rects = [boxOf(at)]
    rects = rects.map((r) => cut(r, win)).filter(some).sort((a, b) => b.w * b.h - a.w * a.h).slice(0, 6)
    for (const [fx, fy] of many ? grid : grid.slice(0, 9)) {
      for (const r of rects) out.push([r.x + r.w * fx, r.y + r.h * fy])
    }
    if (many) {
      for (const r of rects.slice(0, 2)) for (let i = 1; i < 12; i++) for (let j = 1; j < 12; j++) out.push([r.x + (r.w * i) / 12, r.y + (r.h * j) / 12])
    }
    return out
  }

  // lifted reports whether some content of at may be above at itself.
  const lifted = (at) => {
    if (S.rootOf(at) || at.assignedSlot) return true
    for (const side of ['::before', '::after']) if (getComputedStyle(at, side).content !== 'none') return true
    const inner = at.querySelectorAll('*')
    if (inner.length > 12) return true
    for (const k of inner) if (S.rootOf(k) || getComputedStyle(k).position !== 'static') return true
    return false
  }

  // lid reports whether top belongs to a layer that covers all of at within win. A layer is one positioned box, not
  // rotated and without holes; when it covers the corners of a rectangle, it covers all of it. Hit tests of a hundred
  // points in between would be expensive.
  const lid = (at, win, top) => {
    let corners = null
    for (let p = top; p && !S.within(at, p); p = S.up(p)) {
      if (p.localName === 'dialog' && p.matches(':modal')) return true
      const cs = getComputedStyle(p)
      if (cs.position === 'static' || cs.pointerEvents === 'none' || cs.visibility !== 'visible' || cs.clipPath !== 'none') continue
      const b = p.getBoundingClientRect()
      if (Math.abs(b.width - p.offsetWidth) > 1 || Math.abs(b.height - p.offsetHeight) > 1 || p.getClientRects().length !== 1) continue
      if (!corners) {
        const rects = Array.from(at.getClientRects(), (r) => cut(rect(r), win)).filter(some)
        if (!rects.length || rects.length > 4 || lifted(at)) return false
        corners = rects.flatMap((r) => [[0.02, 0.02], [0.98, 0.02], [0.02, 0.98], [0.98, 0.98]].map(([fx, fy]) => [r.x + r.w * fx, r.y + r.h * fy]))
        corners.met = corners.map(([x, y]) => S.deep(x, y))
      }
      const inside = ([x, y]) => x >= b.left && x < b.right && y >= b.top && y < b.bottom
      if (corners.every(inside) && corners.met.every((t) => t && S.within(t, p))) return true
    }
    return false
  }

  // probe searches for a point that hits el: {x, y}, or {top}, the element that covers it, with lid when testing more
  // points is useless.
  S.probe = (el, at, win, many) => {
    let second = null
    let top = null
    let own = false
    for (const [x, y] of S.spots(at, win, many)) {
      const t = S.deep(x, y)
      if (!t) continue
      if (S.hits(el, t)) {
        if (!innerControl(el, t)) return { x, y }
        second ??= { x, y }
        continue
      }
      if (S.within(at, t)) own = true
      else if (!top) {
        if (!many && !own && !second && lid(at, win, t)) return { top: t, own, lid: true }
        top = t
      }
    }
    return second ?? { top, own }
  }

  const covers = new Set(['dialog', 'alertdialog', 'banner', 'navigation', 'region', 'complementary', 'contentinfo', 'menu', 'listbox', 'tooltip', 'alert', 'status', 'toolbar', 'form'])

  // cover describes what covers an element: the layer that a person would name, not the innermost element.
  S.cover = (top, el) => {
    let best = top
    for (let p = top; p && p !== document.body && p !== document.documentElement && !S.within(el, p); p = S.up(p)) {
      if (covers.has(S.role(p)) || p.matches(':modal,:popover-open')) {
        best = p
        break
      }
      const pos = getComputedStyle(p).position
      if (pos === 'fixed' || pos === 'sticky') best = p
      else if (pos === 'absolute' && best === top) best = p
    }
    const inside = best.querySelector?.('[role=dialog],[role=alertdialog],dialog')
    if (inside && S.shown(inside)) best = inside
    const role = S.role(best) || best.localName
    let name = S.accname(best)
    if (!name) {
      const h = best.querySelector?.('h1,h2,h3,h4,[role=heading]')
      name = h ? S.fold(h.textContent) : S.lists.has(role) ? '' : S.fold(best.innerText ?? '').slice(0, 40)
    }
    return { el: best, handle: S.known(best), text: name ? `${role} ${S.quote(name.slice(0, 60))}` : role }
  }

  const closing = /^(x|×|✕|✖|⨯)$|\b(close|dismiss|accept|agree|got it|ok|okay|no thanks|not now|reject|decline|continue|cancel|skip|later|understood|hide|schließen|akzeptieren|ablehnen|verstanden|fermer|accepter|refuser|cerrar|aceptar|rechazar|chiudi|accetta|sluiten|akkoord|zamknij|закрыть|принять|关闭|接受|閉じる)/i

  S.dismissible = (el) => {
    if (el.matches(':modal,:popover-open')) return true
    for (const b of el.querySelectorAll('button,[role=button],a[href],input[type=button],input[type=submit]')) {
      if (S.shown(b) && closing.test(S.name(b, S.role(b)))) return true
    }
    return false
  }

  S.frame = (f, ctx) => {
    const r = f.getBoundingClientRect()
    const sx = f.offsetWidth ? r.width / f.offsetWidth : 1
    const sy = f.offsetHeight ? r.height / f.offsetHeight : 1
    const cs = getComputedStyle(f)
    const px = (v) => parseFloat(v) || 0
    const box = {
      x: r.x + (f.clientLeft + px(cs.paddingLeft)) * sx, y: r.y + (f.clientTop + px(cs.paddingTop)) * sy,
      w: (f.clientWidth - px(cs.paddingLeft) - px(cs.paddingRight)) * sx, h: (f.clientHeight - px(cs.paddingTop) - px(cs.paddingBottom)) * sy,
    }
    const p = S.place({ el: f }, ctx)
    const visible = !!p && p.where === 'in' && cs.visibility === 'visible'
    return { h: S.handle(f), src: f.src ?? '', name: f.name ?? '', title: f.title ?? '', box, clip: visible ? p.vis : { x: 0, y: 0, w: 0, h: 0 }, visible, offscreen: !!p && p.where !== 'in', scaleX: sx, scaleY: sy }
  }
})()
