// Brings an element into view, waits until it can be pressed, finds a point at which a press reaches it, and guards
// the press.
(() => {
  const S = globalThis.__sextant
  const gone = { state: 'gone' }
  const now = () => performance.now()
  const pause = (ms) => new Promise((done) => setTimeout(done, ms))
  const frame = () =>
    new Promise((done) => {
      const t = setTimeout(done, 60)
      requestAnimationFrame(() => {
        clearTimeout(t)
        done()
      })
    })
  const some = (r) => r.w > 0.3 && r.h > 0.3
  const rect = (r) => ({ x: r.x, y: r.y, w: r.width, h: r.height })

  // placesOf returns the elements at which el can be pressed: itself and its labels, as far as they are visible.
  const placesOf = (el) => {
    const out = []
    const r = el.getBoundingClientRect()
    if (S.shown(el) && r.width > 2 && r.height > 2) out.push(el)
    for (const l of el.labels ?? []) if (S.shown(l)) out.push(l)
    if (out.length) return out
    if (el.localName === 'option') {
      const s = el.closest('select')
      if (s) return [s]
    }
    if (el.localName === 'area') return [el]
    if (S.rendered(el) && rectsOf(el).length) out.push(el)
    return out
  }

  const pictureOf = (area) => {
    const map = area.closest('map')
    return map && Array.from(document.querySelectorAll('img[usemap],object[usemap]')).find((i) => i.useMap === '#' + map.name)
  }

  // rectsOf returns the rectangles that el fills: one per line when it wraps, or those of its content when it has no
  // box of its own.
  const rectsOf = (el) => {
    let list = Array.from(el.getClientRects(), rect).filter(some)
    if (!list.length && el.localName !== 'area') {
      const r = document.createRange()
      r.selectNodeContents(el)
      list = Array.from(r.getClientRects(), rect).filter(some)
    }
    return list
  }

  // view returns the visible part of the document's viewport, which is smaller when the page is pinch-zoomed.
  const view = (clip) => {
    const v = S.viewport()
    const z = window.visualViewport
    const win = z && z.scale > 1.001 ? { x: z.offsetLeft, y: z.offsetTop, w: z.width, h: z.height } : { x: 0, y: 0, w: v.w, h: v.h }
    return clip ? S.cut(win, clip) : win
  }

  // deep returns the element that a pointer would hit inside the shadow roots that contain el, including closed ones.
  const deep = (el, x, y) => {
    const t = S.deep(x, y)
    const roots = []
    for (let r = el.getRootNode(); r.host; r = r.host.getRootNode()) roots.unshift(r)
    let at = t
    for (const r of roots) if (at === r.host) at = r.elementFromPoint(x, y) ?? at
    return at
  }

  // inner reports whether top is in another control inside of el, which would get the press. A control that fills
  // most of el counts as el.
  const inner = (el, top) => {
    for (let p = top; p && p !== el; p = S.up(p)) {
      if (p.localName === 'label' && p.control === el) return false
      if (S.control(p) || p.hasAttribute('onclick')) return !fills(p, el)
    }
    return false
  }
  const fills = (p, el) => {
    const a = p.getBoundingClientRect()
    const b = el.getBoundingClientRect()
    return a.width * a.height >= b.width * b.height * 0.7
  }

  const near = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9], [0.02, 0.5], [0.98, 0.5], [0.5, 0.04], [0.5, 0.96]]

  function* spots(at, win) {
    if (at.localName === 'area') return yield* spotsOfArea(at)
    const rects = rectsOf(at).map((r) => S.cut(r, win)).filter(some).sort((a, b) => b.w * b.h - a.w * a.h).slice(0, 8)
    for (const [fx, fy] of near) for (const r of rects) yield [r.x + r.w * fx, r.y + r.h * fy]
    if (at instanceof SVGElement) yield* spotsOfShapes(at)
    for (const r of rects.slice(0, 2)) for (let i = 1; i < 12; i++) for (let j = 1; j < 12; j++) yield [r.x + (r.w * i) / 12, r.y + (r.h * j) / 12]
  }

  // spotsOfShapes yields points on the outlines of drawn shapes, such as a ring, a thin line or a hollow path.
  function* spotsOfShapes(at) {
    const shapes = at instanceof SVGGeometryElement ? [at] : Array.from(at.querySelectorAll('*')).filter((e) => e instanceof SVGGeometryElement).slice(0, 20)
    for (const s of shapes) {
      const m = s.getScreenCTM()
      let length = 0
      try {
        length = s.getTotalLength()
      } catch {
        continue // a shape without size
      }
      if (!m || !Number.isFinite(length)) continue
      for (let i = 1; i < 16; i += 2) {
        const p = s.getPointAtLength((length * i) / 16).matrixTransform(m)
        yield [p.x, p.y]
      }
    }
  }

  function* spotsOfArea(area) {
    const img = pictureOf(area)
    if (!img) return
    const r = img.getBoundingClientRect()
    const k = img.offsetWidth ? r.width / img.offsetWidth : 1
    const cs = getComputedStyle(img)
    const x0 = r.x + (img.clientLeft + (parseFloat(cs.paddingLeft) || 0)) * k
    const y0 = r.y + (img.clientTop + (parseFloat(cs.paddingTop) || 0)) * k
    const c = area.coords.split(/[\s,]+/).map(Number)
    const pt = (x, y) => [x0 + x * k, y0 + y * k]
    if (area.shape === 'circle' || area.shape === 'circ') yield pt(c[0], c[1])
    else if (area.shape === 'poly' || area.shape === 'polygon') {
      const n = c.length >> 1
      const px = (i) => c[(i % n) * 2]
      const py = (i) => c[(i % n) * 2 + 1]
      let mx = 0
      let my = 0
      for (let i = 0; i < n; i++) {
        mx += px(i) / n
        my += py(i) / n
      }
      yield pt(mx, my)
      for (let i = 0; i < n; i++) yield pt((px(i) + px(i + 1) + px(i + 2)) / 3, (py(i) + py(i + 1) + py(i + 2)) / 3)
    } else if (area.shape === 'default') {
      for (const [fx, fy] of near) yield [r.x + r.width * fx, r.y + r.height * fy]
    } else for (const [fx, fy] of near) yield pt(c[0] + (c[2] - c[0]) * fx, c[1] + (c[3] - c[1]) * fy)
  }

  const meets = (el, t) => S.hits(el, t)

  // probe searches for a point that reaches el: {x, y, mixed}, or {top}, the element that covers it. mixed means that
  // only points on a control inside of el were left.
  const probe = (el, at, win) => {
    let second = null
    let top = null
    for (const [x, y] of spots(at, win)) {
      if (x < win.x || y < win.y || x >= win.x + win.w || y >= win.y + win.h) continue
      const t = deep(el, x, y)
      if (!t) continue
      if (meets(el, t)) {
        if (!inner(el, t)) return { x, y }
        second ??= { x, y, mixed: true }
      } else if (!S.within(at, t)) top ??= t
    }
    return second ?? { top }
  }

  const inside = (r, v) => r.y >= v.y - 0.5 && r.x >= v.x - 0.5 && r.y + r.h <= v.y + v.h + 0.5 && r.x + r.w <= v.x + v.w + 0.5

  const boxOf = (at) => rect((at.localName === 'area' ? (pictureOf(at) ?? at) : at).getBoundingClientRect())

  const bring = (at, win, block) => {
    const el = at.localName === 'area' ? (pictureOf(at) ?? at) : at
    const r = boxOf(at)
    const fits = block !== 'center' ? block : r.h > win.h ? 'nearest' : 'center'
    el.scrollIntoView({ block: fits, inline: r.w > win.w ? 'nearest' : 'center', behavior: 'instant' })
  }

  const carrying = (at) =>
    document.getAnimations().slice(0, 500).filter((a) => a.playState === 'running' && a.effect?.target && S.within(at, a.effect.target))

  const same = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y) + Math.abs(a.w - b.w) + Math.abs(a.h - b.h) < 0.5

  // untilStill waits until at stops moving: at most 1 s for finite animations, and 200 ms for other movement. It
  // returns false when at is still moving. was is its box when it was last observed.
  const untilStill = async (at, was) => {
    const running = carrying(at)
    let a = boxOf(at)
    if (!running.length && (S.quiet() > 120 || (was && same(a, was)))) return true
    const ending = running.filter(S.ends).map((x) => x.finished.catch(() => null))
    if (ending.length) await Promise.race([Promise.all(ending), pause(1000)])
    const end = now() + 200
    for (let still = 0; ; ) {
      await frame()
      const b = boxOf(at)
      still = same(a, b) ? still + 1 : 0
      if (still >= 2 || (still && !carrying(at).length)) return true
      if (now() >= end) return false
      a = b
    }
  }

  const find = async (el, at, o) => {
    // After a press that missed, the page may still be changing under the pointer.
    if (o.hurry) await frame()
    let moving = !o.hurry && !(await untilStill(at, o.was))
    const win = view(o.clip)
    const big = (r) => (r.h > win.h || r.w > win.w) && some(S.cut(r, win))
    let r = boxOf(at)
    let hit = {}
    if (inside(r, win) || big(r) || !o.scroll) {
      hit = probe(el, at, win)
      if (hit.x !== undefined || !o.scroll) return { hit, moving }
    }
    // An element that covers the middle of the viewport may leave its ends free.
    for (const block of ['center', 'end', 'start', 'center']) {
      bring(at, win, block)
      if (block === 'center' && hit.top === undefined) {
        await frame()
        await frame()
        moving = !(await untilStill(at)) || moving
        if (!inside((r = boxOf(at)), win) && !big(r)) bring(at, win, block)
      }
      hit = probe(el, at, win)
      if (hit.x !== undefined) break
      if (block === 'center' && !hit.top && !some(S.cut(boxOf(at), win))) break
    }
    return { hit, moving }
  }

  const point = async (h, o) => {
    const el = S.live(h)
    if (!el) return gone
    const other = S.differs(el, o)
    if (other) return { state: other.row ? 'reused' : 'changed', detail: other.text, mark: other.mark, rowMark: other.rowMark }
    if (S.closest(el, (p) => p.inert)) return { state: 'hidden', detail: 'it is inert: the page has switched this part off' }
    const places = placesOf(el)
    if (!places.length) return { state: 'hidden', detail: 'it is not drawn' }
    if (S.disabled(el)) return { state: 'disabled' }
    let last = null
    for (const at of places) {
      if (getComputedStyle(at).visibility !== 'visible') continue
      const { hit, moving } = await find(el, at, o)
      if (!el.isConnected || !at.isConnected) return gone
      if (hit.x !== undefined) {
        const z = window.visualViewport
        const pinched = z && z.scale > 1.001
        return { state: moving ? 'moving' : 'ok', x: hit.x - (pinched ? z.offsetLeft : 0), y: hit.y - (pinched ? z.offsetTop : 0), mixed: !!hit.mixed }
      }
      last = { hit, at }
    }
    if (!last) return { state: 'hidden', detail: 'it is invisible (visibility: hidden)' }
    return blocked(el, last.at, last.hit)
  }

  const blocked = (el, at, hit) => {
    if (hit.top) {
      const by = S.cover(hit.top, el)
      return { state: 'covered', coveredBy: by.handle || S.handle(by.el), coveredByText: by.text, dismissible: S.dismissible(by.el) }
    }
    const r = boxOf(at)
    const v = view()
    if (r.w < 0.5 || r.h < 0.5) return { state: 'hidden', detail: 'it has no size' }
    if (!some(S.cut(r, v))) return { state: 'offscreen', detail: 'it is outside the part of the page that can be seen' }
    if (getComputedStyle(el).pointerEvents === 'none') return { state: 'hidden', detail: 'it takes no pointer (pointer-events: none)' }
    return { state: 'hidden', detail: 'it is cut away by the box around it' }
  }

  const final = new Set(['gone', 'changed', 'reused'])
  const ready = (p) => p.state === 'ok' || p.state === 'moving'

  // aim waits, at most o.patience ms, until el can be pressed. With o.arm, it guards the press that follows.
  S.aim = async (h, o) => {
    const start = now()
    let p = await point(h, o)
    while (!ready(p) && !final.has(p.state) && now() - start < (p.state === 'disabled' || p.state === 'covered' ? o.patience : o.patience / 2)) {
      await pause(40)
      // Scrolling while waiting would only disturb the page.
      p = await point(h, { ...o, scroll: o.scroll && p.state !== 'covered' })
    }
    if (ready(p) && o.arm) S.arm(h, o.arm, !p.mixed, o)
    return p
  }

  const kinds = {
    click: ['pointerdown', 'mousedown'], press: ['pointerdown', 'mousedown'], hover: ['pointermove', 'mousemove', 'pointerover'],
    up: ['pointerup', 'mouseup'],
  }
  const pressing = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'touchstart', 'touchend']
  let armed = null

  const reached = (el, e, alone) => {
    const path = e.composedPath()
    let top = path[0]
    if (top?.nodeType !== 1) return path.includes(el)
    if (!path.includes(el)) top = deep(el, e.clientX, e.clientY) ?? top
    if (!meets(el, top)) return path.some((p) => p.localName === 'label' && p.control === el)
    return !alone || !inner(el, top)
  }

  // arm guards the next press: one that would reach another element is stopped before the page gets it. Other kinds
  // of events are only watched. With alone, a press on a control inside of el counts as one on another element.
  S.arm = (h, kind, alone, expected) => {
    const el = S.live(h)
    if (!el) throw new Error('gone')
    disarm()
    const types = kinds[kind]
    if (!types) throw new Error(`unknown kind ${kind}`)
    const guards = kind === 'click' || kind === 'press'
    const state = { seen: false, hit: false, clicked: false, away: false, text: '', el, changes: 0, off: null }
    // The caller may have ended, so the guard expires.
    const until = now() + 3000 // compared with event timestamps, because a busy page handles events late
    const on = (e) => {
      if (!e.isTrusted) return
      if (e.timeStamp > until) return state.off()
      if ((e.type === 'pointerup' || e.type === 'mouseup') && state.hit) state.away = !e.composedPath().includes(el) && !reached(el, e, false)
      if (e.type === 'click' && state.hit) state.clicked = e.composedPath().includes(el) || reached(el, e, false)
      if (types.includes(e.type) && (!state.seen || (kind === 'hover' && !state.hit))) {
        state.seen = true
        state.hit = reached(el, e, alone)
        state.changes = S.rest().mutations
        const top = e.composedPath()[0]
        if (!state.hit) state.text = top?.nodeType === 1 ? S.cover(top, el).text : 'document'
        // The page may have reused the node since it was aimed at.
        if (state.hit && guards && expected && S.differs(el, expected)) state.hit = false
      }
      if (guards && state.seen && !state.hit) {
        e.preventDefault()
        e.stopImmediatePropagation()
      }
    }
    const all = guards ? pressing : types
    for (const t of all) window.addEventListener(t, on, { capture: true, passive: !guards })
    state.off = () => all.forEach((t) => window.removeEventListener(t, on, { capture: true }))
    armed = state
    return true
  }
  const disarm = () => {
    armed?.off()
    const was = armed
    armed = null
    return was
  }
  // hit returns what the guarded press hit. releaseMissed means that the press reached el, but its release did not and
  // no click followed. With held, a guard that stopped a press stays active for its release.
  S.hit = (held) => {
    const was = held && armed?.seen && !armed.hit ? armed : disarm()
    if (!was) return { seen: false, hit: false, text: '' }
    const own = /^(select|option|video|audio|object|embed|iframe)$/.test(was.el.localName) // handled by the browser itself
    const releaseMissed = was.hit && was.away && !was.clicked && !own && was.el.isConnected
    return { seen: was.seen, hit: was.hit, text: was.text, releaseMissed, changed: S.rest().mutations !== was.changes }
  }
})()
