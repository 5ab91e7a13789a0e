// Runs in the page's main world, where getEventListeners sees the page's listeners. Returns the number of elements
// and the tree-order indexes of those that listen for a press. It must walk the tree exactly as `all` in base.js
// does. With mode "window", it only reports whether an ancestor of all elements listens. With "scan", it only reads
// the properties in which frameworks that delegate events store handlers. With "search", it also checks listeners,
// until `total` nodes with one are found.
;((mode, total) => {
  const presses = ['click', 'mousedown', 'pointerdown', 'mouseup', 'pointerup', 'touchstart', 'touchend', 'dblclick']
  const prop = /^on(click|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend|doubleclick)$/i
  const listens = (el) => {
    const l = getEventListeners(el)
    for (const p of presses) if (l[p]) return true
    return false
  }
  if (mode === 'window') {
    // Presses on drawings are often handled by listeners outside of them; most click listeners there are for
    // something else.
    const above = [window, document, document.documentElement, document.body].filter(Boolean).map((t) => getEventListeners(t))
    const hears = (list) => list.some((p) => above.some((l) => l[p]))
    return { mode, count: hears(['click', 'dblclick']) ? 1 : 0, indexes: [], drop: [], roots: hears(['mousedown', 'pointerdown', 'touchstart', 'mouseup', 'pointerup']) }
  }
  const held = (el, keys) => {
    for (const k of keys) {
      if (typeof k === 'symbol') {
        if (k.description === 'events' && el[k] && typeof el[k] === 'object' && el[k].click) return true
        continue
      }
      if (k === '__click' || k === '$$click' || k === '__mousedown' || k === '$$mousedown' || k === '__pointerdown' || k === '$$pointerdown') return !!el[k]
      if (k.startsWith('__reactProps$') || k.startsWith('__reactEventHandlers$')) {
        const p = el[k]
        if (p) for (const n in p) if (prop.test(n) && typeof p[n] === 'function') return true
      }
    }
    return false
  }
  const react = (keys) => {
    for (const k of keys) if (typeof k === 'string' && (k.startsWith('__reactContainer$') || k === '_reactRootContainer')) return true
    return false
  }
  const jq = window.jQuery
  const found = new Set()
  const delegated = (root) => {
    try {
      const events = jq?._data?.(root, 'events')
      for (const p of presses) for (const h of events?.[p] ?? []) if (h.selector) for (const el of root.querySelectorAll(h.selector)) found.add(el)
      return !!events && presses.some((p) => events[p]?.length && events[p].every((h) => h.selector))
    } catch {
      return false
    }
  }
  const natives = 'a[href],button,input,select,textarea'
  const roots = [document]
  const all = []
  const indexes = []
  const drop = []
  for (let r = 0; r < roots.length; r++) {
    const list = roots[r].querySelectorAll('*')
    for (let i = 0, n = list.length; i < n; i++) {
      const el = list[i]
      all.push(el)
      if (el.shadowRoot) roots.push(el.shadowRoot)
    }
  }
  if (jq) delegated(document)
  let left = total
  let over = listens(document)
  if (over) left--
  const native = new Set()
  if (mode === 'search') {
    for (const root of roots) {
      for (const el of root.querySelectorAll(natives)) {
        native.add(el)
        if (left > 0 && listens(el)) left--
      }
    }
  }
  for (let i = 0, n = all.length; i < n; i++) {
    const el = all[i]
    const keys = Reflect.ownKeys(el)
    // A delegating root comes before its descendants, so found is complete for el here.
    if (found.has(el) || (keys.length && held(el, keys))) {
      indexes.push(i)
      over = true
      continue
    }
    if (keys.length && react(keys)) {
      drop.push(i)
      over = true
    } else if (mode === 'scan') {
      if (jq && delegated(el)) drop.push(i)
    } else if (left > 0 && !native.has(el) && listens(el)) {
      left--
      if (el.firstElementChild) over = true
      if (jq && delegated(el)) drop.push(i)
      else indexes.push(i)
    }
  }
  return { mode, count: all.length, indexes, drop, roots: over }
})
