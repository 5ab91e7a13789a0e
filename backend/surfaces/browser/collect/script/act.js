// Getting ready to act: a point that really hits, a watch on what the next press meets, focus,
// choosing and scrolling.
(() => {
  const S = globalThis.__sextant
  const gone = { state: 'gone' }
  const err = (message) => {
    throw new Error(message)
  }
  const need = (h) => S.live(h) ?? err('gone')

  const frame = () =>
    new Promise((done) => {
      const t = setTimeout(done, 60)
      requestAnimationFrame(() => {
        clearTimeout(t)
        done()
      })
    })

  // spotFor is where el is pressed: itself, or a label when it cannot be seen itself.
  const placesOf = (el) => {
    const out = []
    const r = el.getBoundingClientRect()
    if (S.shown(el) && r.width > 2 && r.height > 2) out.push(el)
    for (const l of el.labels ?? []) if (S.shown(l)) out.push(l)
    if (!out.length && el.localName === 'option') {
      const s = el.closest('select')
      if (s) out.push(s)
    }
    if (!out.length && (r.width || r.height || el.getClientRects().length) && S.shown(el)) out.push(el)
    if (!out.length && el.localName === 'area') out.push(el)
    return out
  }

  const inside = (r, v) => r.top >= 0 && r.left >= 0 && r.bottom <= v.h && r.right <= v.w

  const reveal = (at) => {
    const v = S.viewport()
    let r = at.getBoundingClientRect()
    const cx = r.left + r.width / 2
    const cy = r.top + r.height / 2
    if (inside(r, v) && S.hits(at, S.deep(cx, cy) ?? document.documentElement)) return false
    at.scrollIntoView({ block: r.height > v.h ? 'nearest' : 'center', inline: r.width > v.w ? 'nearest' : 'center', behavior: 'instant' })
    return true
  }

  // carrying lists the running animations of at and of what it stands in.
  const carrying = (at) =>
    document.getAnimations().filter((a) => a.playState === 'running' && a.effect?.target && S.within(at, a.effect.target))

  // steady waits, a second at most, until at stands still: to the end of animations that end, and
  // for two frames without motion where a script or an endless animation may move it.
  const steady = async (at) => {
    const end = performance.now() + 1000
    const running = carrying(at)
    if (!running.length && S.quiet() > 120) return true
    const ending = running.filter(S.ends).map((a) => a.finished.catch(() => null))
    if (ending.length) await Promise.race([Promise.all(ending), new Promise((r) => setTimeout(r, 1000))])
    let a = at.getBoundingClientRect()
    for (let same = 0; performance.now() < end || !same; ) {
      await frame()
      const b = at.getBoundingClientRect()
      const still = Math.abs(a.x - b.x) + Math.abs(a.y - b.y) + Math.abs(a.width - b.width) + Math.abs(a.height - b.height) < 0.5
      same = still ? same + 1 : 0
      if (same >= 2 || (same && !running.length)) return true
      if (performance.now() >= end) return false
      a = b
    }
    return true
  }

  const visibleWindow = (clip) => {
    const v = S.viewport()
    const win = { x: 0, y: 0, w: v.w, h: v.h }
    return clip ? S.cut(win, clip) : win
  }

  S.point = async (h, scroll, clip) => {
    const el = S.live(h)
    if (!el) return gone
    if (S.closest(el, (p) => p.inert)) return { state: 'hidden', detail: 'it is inert: the page has switched this part off' }
    const places = placesOf(el)
    if (!places.length) return { state: 'hidden', detail: 'it is not drawn' }
    if (S.disabled(el)) return { state: 'disabled' }
    let last = null
    let moving = false
    for (const at of places) {
      if (getComputedStyle(at).visibility !== 'visible') continue
      if (scroll) reveal(at)
      moving = !(await steady(at))
      if (!el.isConnected || !at.isConnected) return gone
      let hit = S.probe(el, at, visibleWindow(clip), true)
      if (hit.x === undefined && scroll) {
        // Something may lie over the place it was scrolled to: try the two ends as well.
        for (const block of ['end', 'start']) {
          at.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' })
          hit = S.probe(el, at, visibleWindow(clip), true)
          if (hit.x !== undefined) break
        }
        if (hit.x === undefined) {
          at.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
          hit = S.probe(el, at, visibleWindow(clip), true)
        }
      }
      if (hit.x !== undefined) return { state: moving ? 'moving' : 'ok', x: hit.x, y: hit.y }
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
    const r = at.getBoundingClientRect()
    const v = S.viewport()
    if (r.width < 1 || r.height < 1) return { state: 'hidden', detail: 'it has no size' }
    if (r.bottom <= 0 || r.right <= 0 || r.top >= v.h || r.left >= v.w) return { state: 'offscreen', detail: 'it stands outside the part of the page that can be seen' }
    if (getComputedStyle(el).pointerEvents === 'none') return { state: 'hidden', detail: 'it takes no pointer (pointer-events: none)' }
    return { state: 'hidden', detail: 'it is cut away by the box around it' }
  }

  const kinds = {
    click: ['pointerdown', 'mousedown'], press: ['pointerdown', 'mousedown'], hover: ['pointermove', 'mousemove', 'pointerover'],
    move: ['pointermove', 'mousemove', 'pointerover'], up: ['pointerup', 'mouseup'],
  }
  let armed = null

  // arm watches the next trusted pointer event of a kind; it neither stops nor changes it.
  S.arm = (h, kind) => {
    const el = need(h)
    disarm()
    const types = kinds[kind] ?? err(`unknown kind ${kind}`)
    const state = { seen: false, hit: false, text: '', off: null }
    const on = (e) => {
      if (!e.isTrusted || (state.seen && state.hit)) return
      if (kind !== 'hover' && kind !== 'move' && state.seen) return
      state.seen = true
      const path = e.composedPath()
      state.hit = path.includes(el) || path.some((p) => p.localName === 'label' && p.control === el) || (path[0]?.nodeType === 1 && S.hits(el, path[0]))
      if (!state.hit) state.text = path[0]?.nodeType === 1 ? S.cover(path[0], el).text : 'document'
    }
    for (const t of types) window.addEventListener(t, on, { capture: true, passive: true })
    state.off = () => types.forEach((t) => window.removeEventListener(t, on, { capture: true }))
    armed = state
    return true
  }
  const disarm = () => {
    armed?.off()
    const was = armed
    armed = null
    return was
  }
  S.hit = () => {
    const was = disarm()
    return was ? { seen: was.seen, hit: was.hit, text: was.text } : { seen: false, hit: false, text: '' }
  }

  S.focusOn = (h) => {
    const el = need(h)
    if (S.focused(el)) return true
    el.focus({ preventScroll: true })
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    return f === el || (!!f && f !== document.body && S.within(f, el))
  }

  const fieldIn = (el) => {
    if (S.isTextField(el) || el.isContentEditable) return el
    return el.querySelector?.('input:not([type=hidden]),textarea,[contenteditable=""],[contenteditable=true]') ?? el
  }

  // selectAll selects what a field holds, so that typing replaces it: {editable, empty}.
  S.selectAll = (h) => {
    const el = fieldIn(need(h))
    if (el.readOnly) return { editable: false, empty: !el.value, why: 'it is read-only' }
    if (el.localName === 'input' || el.localName === 'textarea') {
      if (!S.isTextField(el)) return { editable: false, empty: !el.value, why: `it is a ${el.type} field` }
      el.select()
      return { editable: true, empty: el.value === '' }
    }
    if (!el.isContentEditable) return { editable: false, empty: true, why: 'it takes no text' }
    el.focus({ preventScroll: true })
    getSelection().selectAllChildren(el)
    return { editable: true, empty: S.fold(el.innerText ?? '') === '' }
  }

  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    el.dispatchEvent(new Event('change', { bubbles: true }))
  }

  // fill sets fields that cannot be typed into: dates, colours, sliders. {done, value, why}.
  S.fill = (h, value) => {
    const el = need(h)
    if (el.localName !== 'input' || !/^(date|time|datetime-local|month|week|color|range)$/.test(el.type)) return { done: false, value: '' }
    if (el.disabled || el.readOnly) return { done: false, value: el.value, why: 'it cannot be changed' }
    const before = el.value
    el.focus({ preventScroll: true })
    el.value = value
    if (el.type !== 'range' && value && el.value !== value && el.value !== value.toLowerCase()) {
      const form = { date: '2031-12-24', time: '18:30', 'datetime-local': '2031-12-24T18:30', month: '2031-12', week: '2031-W52', color: '#1e90ff' }[el.type]
      el.value = before
      return { done: false, value: before, why: `a ${el.type} field takes values such as ${form}` }
    }
    if (el.value !== before) changed(el)
    return { done: true, value: el.value }
  }

  const lower = (s) => S.fold(s).toLowerCase()

  S.choose = (h, values) => {
    let el = need(h)
    if (el.localName === 'option') el = el.closest('select') ?? el
    if (el.localName !== 'select') err('not a native list: click it, then click the option that appears')
    if (el.matches(':disabled')) err('the list is disabled')
    const opts = Array.from(el.options)
    const names = () => opts.filter((o) => !o.disabled).slice(0, 50).map((o) => `"${S.fold(o.label).slice(0, 60)}"`).join(', ') + (opts.length > 50 ? `, … ${opts.length - 50} more` : '')
    if (!el.multiple && values.length !== 1) err('the list takes one value')
    const picked = values.map((v) => {
      const o = opts.find((x) => S.fold(x.label) === S.fold(v)) ?? opts.find((x) => x.value === v) ?? opts.find((x) => lower(x.label) === lower(v))
      if (!o) err(`no option "${v}"; there are ${names()}`)
      if (o.disabled || o.closest('optgroup')?.disabled) err(`the option "${S.fold(o.label)}" is disabled; there are ${names()}`)
      return o
    })
    el.focus({ preventScroll: true })
    const before = Array.from(el.selectedOptions)
    for (const o of opts) {
      const want = picked.includes(o)
      if (o.selected !== want && (want || el.multiple)) o.selected = want
    }
    const now = Array.from(el.selectedOptions)
    if (now.length !== before.length || now.some((o, i) => o !== before[i])) changed(el)
    return now.map((o) => S.fold(o.label))
  }

  const can = (el, axis) => {
    const root = el === document.scrollingElement
    const cs = getComputedStyle(el)
    const o = axis === 'y' ? cs.overflowY : cs.overflowX
    const room = axis === 'y' ? el.scrollHeight - el.clientHeight : el.scrollWidth - el.clientWidth
    return room > 1 && (root ? o !== 'hidden' && o !== 'clip' : /auto|scroll|overlay/.test(o) || (el === document.body && /auto|scroll/.test(o)))
  }

  const mainScroller = (axis) => {
    const root = document.scrollingElement ?? document.documentElement
    if (can(root, axis)) return root
    const v = S.viewport()
    let best = null
    let size = 0
    for (const el of S.all()) {
      if (el.scrollHeight - el.clientHeight <= 1 && el.scrollWidth - el.clientWidth <= 1) continue
      if (!can(el, axis) || !S.shown(el)) continue
      const r = el.getBoundingClientRect()
      const c = S.cut({ x: 0, y: 0, w: v.w, h: v.h }, { x: r.x, y: r.y, w: r.width, h: r.height })
      if (c.w > 0 && c.h > 0 && c.w * c.h > size) {
        size = c.w * c.h
        best = el
      }
    }
    return best ?? root
  }

  S.scroll = (h, direction, amount) => {
    const axis = direction === 'left' || direction === 'right' ? 'x' : 'y'
    const step = (el) => {
      const x = el.scrollLeft
      const y = el.scrollTop
      const page = (axis === 'y' ? el.clientHeight : el.clientWidth) * 0.8
      const d = (amount || page) * (direction === 'up' || direction === 'left' ? -1 : 1)
      const to = { behavior: 'instant' }
      if (direction === 'top') to.top = 0
      else if (direction === 'bottom') to.top = el.scrollHeight
      else if (axis === 'y') to.top = y + d
      else to.left = x + d
      el.scrollTo(to)
      return Math.abs(el.scrollTop - y) + Math.abs(el.scrollLeft - x) >= 1
    }
    if (!h) return step(mainScroller(axis))
    const el = need(h)
    for (const inner of [el, ...el.querySelectorAll('*')]) if (can(inner, axis)) return step(inner)
    const outer = S.closest(S.up(el), (p) => can(p, axis) && p !== document.scrollingElement)
    return outer ? step(outer) : false
  }
})()
