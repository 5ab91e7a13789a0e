// Finds drop points, watches drag-and-drop events, and does hit tests.
(() => {
  const S = globalThis.__sextant

  // dropAt returns a point on the visible part of the element, and the size of that part. The point is the middle or,
  // when that is covered as the drag begins (first), a place that is free. That place is used again later, when the
  // dragged element may cover it.
  let kept = null
  S.dropAt = (h, first) => {
    const el = S.live(h)
    if (!el) return { state: 'gone' }
    const v = S.viewport()
    const seen = () => {
      const r = el.getBoundingClientRect()
      const ctx = S.scene({}, v)
      let c = S.cut({ x: 0, y: 0, w: v.w, h: v.h }, { x: r.x, y: r.y, w: r.width, h: r.height })
      for (let k = S.info(el, ctx).mine; k; k = k.up) c = S.cut(c, S.clipRect(k))
      return { ...c, full: Math.min(r.width, v.w) * Math.min(r.height, v.h) }
    }
    let c = seen()
    if (c.w <= 0 || c.h <= 0 || c.w * c.h < c.full * 0.7) {
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
      c = seen()
    }
    if (c.w <= 0 || c.h <= 0) return { state: el.getClientRects().length ? 'offscreen' : 'hidden' }
    if (first) kept = { el, at: free(el, c) }
    const [fx, fy] = kept?.el === el ? kept.at : places[0]
    return { state: 'ok', x: c.x + c.w * fx, y: c.y + c.h * fy, w: c.w, h: c.h }
  }
  const places = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.15], [0.15, 0.85], [0.85, 0.85], [0.06, 0.5], [0.94, 0.5]]
  const free = (el, c) => places.find(([fx, fy]) => S.within(S.deep(c.x + c.w * fx, c.y + c.h * fy), el)) ?? places[0]

  S.order = (a, b) => {
    const x = S.live(a)
    const y = S.live(b)
    if (!x || !y || x.parentNode !== y.parentNode || x.localName !== y.localName || x instanceof SVGElement) return 0
    return x.compareDocumentPosition(y) & 4 ? -1 : 1
  }

  let drag = null
  const types = ['dragstart', 'dragover', 'drop', 'dragend']

  S.watchDrag = () => {
    S.dragged()
    const seen = {}
    const on = (e) => (seen[e.type] = e)
    for (const t of types) window.addEventListener(t, on, { capture: true, passive: true })
    drag = { seen, off: () => types.forEach((t) => window.removeEventListener(t, on, { capture: true })) }
    return true
  }
  const dragNow = () => {
    const s = drag?.seen ?? {}
    return { started: !!s.dragstart && !s.dragstart.defaultPrevented, over: !!s.dragover?.defaultPrevented, dropped: !!s.drop, ended: !!s.dragend }
  }
  S.dragging = () => dragNow()
  S.dragged = () => {
    const now = dragNow()
    drag?.off()
    drag = null
    return now
  }

  const pause = (ms) => new Promise((done) => setTimeout(done, ms))

  // dwell waits long enough for pages that poll a drag with a timer of 50 ms.
  S.dwell = async () => {
    const drawn = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(100)])
    await drawn()
    await pause(60)
    await drawn()
    return true
  }

  S.under = (x, y) => {
    const el = S.deep(x, y)
    if (!el) return { handles: [], text: '' }
    if (el.localName === 'iframe' || el.localName === 'frame' || el.localName === 'object') {
      const f = S.frame(el, S.scene({}, S.viewport()))
      if (el.contentWindow) return { handles: [], text: 'frame', frame: f.h, x: (x - f.box.x) / (f.scaleX || 1), y: (y - f.box.y) / (f.scaleY || 1) }
    }
    const handles = []
    for (let p = el; p; p = S.up(p)) {
      const h = S.known(p)
      if (h) handles.push(h)
    }
    const named = S.closest(el, (p) => S.control(p)) ?? el
    const role = S.role(named) || named.localName
    const name = (S.accname(named) || S.fold(named.innerText ?? '')).slice(0, 60)
    return { handles, text: name ? `${role} ${S.quote(name)}` : role }
  }

  S.fileField = (h) => {
    const el = S.live(h)
    if (!el) throw new Error('gone')
    const isFile = (x) => x?.localName === 'input' && x.type === 'file'
    const label = el.closest?.('label')
    let field = [el, el.control, label?.control].find(isFile)
    if (!field) {
      const held = el.querySelectorAll('input[type=file]')
      if (held.length === 1) field = held[0]
    }
    if (!field) return { h: 0 }
    if (field.webkitdirectory) throw new Error('the field takes folders, not files')
    if (S.disabled(field)) throw new Error('the file field is disabled')
    return { h: S.handle(field), multiple: field.multiple, accept: field.accept, count: field.files?.length ?? 0 }
  }
})()
