// Scrolling the document or a box in it.
(() => {
  const S = globalThis.__sextant
  const err = (message) => {
    throw new Error(message)
  }
  const need = (h) => S.live(h) ?? err('gone')

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
