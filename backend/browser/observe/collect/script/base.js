// The base of the other scripts: handles, flat-tree steps and what is hidden.
// Runs in an isolated world; keeps everything in globalThis.__sextant and changes nothing
// in the page.
(() => {
  const S = (globalThis.__sextant = Object.create(null))

  // scope is the part of the document that is looked at, all of it unless who installs the script in
  // a page of ours says otherwise; body is what of it can be read.
  S.scope = globalThis.__sextantScope ?? document
  S.body = () => (S.scope === document ? document.body : S.scope)

  const handles = new WeakMap()
  const nodes = new Map()
  let last = 0

  // handle gives node its number: once per node, never again for another one.
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

  // live is the node of a handle that is still in the document, else null.
  S.live = (h) => {
    const el = S.node(h)
    return el && el.isConnected ? el : null
  }

  // quote puts a page's words into double quotes that they cannot end.
  S.quote = (s) => '"' + s.replace(/["\\]/g, '\\$&') + '"'

  // up is the parent in the flat tree: slot for slotted nodes, host for a shadow root.
  S.up = (n) => {
    if (n.assignedSlot) return n.assignedSlot
    const p = n.parentNode
    if (!p) return null
    if (p.nodeType === 11) return p.host ?? null
    return p.nodeType === 1 ? p : null
  }

  // rootOf is the shadow root of el that can be looked into, or null. Closed ones are passed in
  // from outside.
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

  // closedHosts are the elements in the document with closed roots that were passed in.
  S.closedHosts = () => {
    sealed = sealed.filter((w) => w.deref())
    return sealed.map((w) => w.deref()).filter((el) => el?.isConnected)
  }

  // kids are the child nodes in the flat tree.
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

  // all lists every element with open shadow roots, in the order the page's world counts too:
  // a root's elements in document order, then the shadow roots met, in that order.
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

  // deep is the element a pointer would meet, through shadow roots.
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

  // shown: has boxes and is not visibility:hidden (contents has no box of its own but shows its children).
  S.rendered = (el) => el.checkVisibility() || getComputedStyle(el).display === 'contents'
  S.shown = (el) => el.checkVisibility({ visibilityProperty: true })

  S.disabled = (el) => {
    if (el.matches(':disabled')) return true
    return !!S.closest(el, (p) => p.getAttribute('aria-disabled') === 'true')
  }

  // editable: the outermost element of one that can be written into.
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
