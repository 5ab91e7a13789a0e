// The base of the other scripts: handles, steps in the flat tree, and visibility. Changes nothing in the page.
(() => {
  const S = (globalThis.__sextant = Object.create(null))

  // scope is the observed part of the document: all of it, unless __sextantScope restricts it (see window_page.go).
  // body is its readable part.
  S.scope = globalThis.__sextantScope ?? document
  S.body = () => (S.scope === document ? document.body : S.scope)

  const handles = new WeakMap()
  const nodes = new Map()
  let last = 0

  S.handle = (node) => {
    let h = handles.get(node)
    if (!h) {
      h = ++last
      handles.set(node, h)
      nodes.set(h, new WeakRef(node))
    }
    return h
  }
  S.known = (node) => handles.get(node) ?? 0
  S.node = (h) => nodes.get(h)?.deref() ?? null

  S.live = (h) => {
    const el = S.node(h)
    return el && el.isConnected ? el : null
  }

  S.quote = (s) => '"' + s.replace(/["\\]/g, '\\$&') + '"'

  // up returns the parent in the flat tree: the slot of a slotted node, the host of a shadow root.
  S.up = (n) => {
    if (n.assignedSlot) return n.assignedSlot
    const p = n.parentNode
    if (!p) return null
    if (p.nodeType === 11) return p.host ?? null
    return p.nodeType === 1 ? p : null
  }

  // rootOf returns the accessible shadow root of el, or null. Closed roots are passed in by opened.
  const closed = new WeakMap()
  let sealed = []
  S.rootOf = (el) => el.shadowRoot ?? closed.get(el) ?? null
  S.opened = (roots) => {
    for (const r of roots) {
      if (r?.nodeType !== 11 || !r.host || closed.has(r.host)) continue
      closed.set(r.host, r)
      sealed.push(new WeakRef(r.host))
      S.watchRoots([r])
    }
  }

  S.closedHosts = () => {
    sealed = sealed.filter((w) => w.deref())
    return sealed.map((w) => w.deref()).filter((el) => el?.isConnected)
  }

  S.kids = (el) => {
    const root = S.rootOf(el)
    if (root) return root.childNodes
    if (el.localName === 'slot') {
      const given = el.assignedNodes()
      if (given.length) return given
    }
    if (el.localName === 'details' && !el.open) return el.querySelectorAll(':scope > summary:first-of-type')
    return el.childNodes
  }

  S.within = (n, ancestor) => {
    for (let p = n; p; p = S.up(p)) if (p === ancestor) return true
    return false
  }

  S.closest = (el, test) => {
    for (let p = el; p; p = S.up(p)) if (test(p)) return p
    return null
  }

  // all returns all elements, including those in open shadow roots, in the same order as listeners.js: the elements
  // of a root in document order, then those of the shadow roots found in it, in that order.
  S.all = () => {
    const roots = [S.scope]
    const out = []
    for (let r = 0; r < roots.length; r++) {
      const list = roots[r].querySelectorAll('*')
      for (let i = 0; i < list.length; i++) {
        const el = list[i]
        out.push(el)
        if (el.shadowRoot) roots.push(el.shadowRoot)
      }
    }
    return out
  }

  S.deep = (x, y) => {
    let el = document.elementFromPoint(x, y)
    for (let root; (root = el && S.rootOf(el)); ) {
      const inner = root.elementFromPoint(x, y)
      if (!inner || inner === el || inner.getRootNode() !== root) break
      el = inner
    }
    return el
  }

  const loose = /[^\S ]|  |^ | $/
  S.fold = (s) => (loose.test(s) ? s.replace(/\s+/g, ' ').trim() : s)

  // rendered also accepts display:contents, which has no box but shows its children; shown excludes
  // visibility:hidden.
  S.rendered = (el) => el.checkVisibility() || getComputedStyle(el).display === 'contents'
  S.shown = (el) => el.checkVisibility({ visibilityProperty: true })

  S.disabled = (el) => {
    if (el.matches(':disabled')) return true
    return !!S.closest(el, (p) => p.getAttribute('aria-disabled') === 'true')
  }

  // editable reports whether el is the outermost element of an editable region.
  S.editable = (el) =>
    (el.hasAttribute('contenteditable') || document.designMode === 'on') && el.isContentEditable && !S.up(el)?.isContentEditable

  const textTypes = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number', ''])
  S.isTextField = (el) =>
    el.localName === 'textarea' || (el.localName === 'input' && textTypes.has(el.type))

  S.viewport = () => ({
    w: document.documentElement.clientWidth || innerWidth,
    h: document.compatMode === 'BackCompat' ? innerHeight : document.documentElement.clientHeight || innerHeight,
  })
})()
