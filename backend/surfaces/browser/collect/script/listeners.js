// Runs in the page's own world, where getEventListeners sees the page's listeners. Gives the
// count of elements and the tree-order indexes of those that something listens on for a press,
// directly or through a framework that delegates. Must walk exactly as `all` in base.js.
;(() => {
  const presses = ['click', 'mousedown', 'pointerdown', 'mouseup', 'pointerup', 'touchstart', 'touchend', 'dblclick']
  const prop = /^on(click|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend|doubleclick)$/i
  const listens = (l) => {
    if (!l) return false
    for (const p of presses) if (l[p]) return true
    return false
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
  const roots = [document]
  const found = new Set()
  const out = []
  const jq = window.jQuery
  const delegated = (root) => {
    try {
      const events = jq?._data?.(root, 'events')
      for (const p of presses) for (const h of events?.[p] ?? []) if (h.selector) for (const el of root.querySelectorAll(h.selector)) found.add(el)
      return !!events && presses.some((p) => events[p]?.length && events[p].every((h) => h.selector))
    } catch {
      return false
    }
  }
  if (jq) delegated(document)
  let n = 0
  for (let r = 0; r < roots.length; r++) {
    const list = roots[r].querySelectorAll('*')
    for (let i = 0; i < list.length; i++) {
      const el = list[i]
      const at = n++
      if (el.shadowRoot) roots.push(el.shadowRoot)
      const keys = Reflect.ownKeys(el)
      // A delegating root comes before what it delegates for, so found is complete for el by now.
      if (found.has(el) || (keys.length && held(el, keys))) out.push(at)
      else if (listens(getEventListeners(el)) && !react(keys) && !(jq && delegated(el))) out.push(at)
    }
  }
  return { count: n, indexes: out }
})()
