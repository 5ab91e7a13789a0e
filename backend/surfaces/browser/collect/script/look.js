// One walk over the flat tree: what could a person act on, what stands where.
(() => {
  const S = globalThis.__sextant

  const skip = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'br', 'wbr', 'source', 'track', 'param', 'col', 'defs', 'clipPath', 'mask'])
  const leaves = new Set(['input', 'textarea', 'img', 'iframe', 'frame', 'video', 'audio', 'canvas', 'object', 'embed'])
  const boxes = { dialog: 'Dialog', alertdialog: 'Dialog', banner: 'Header', navigation: 'Navigation', contentinfo: 'Footer', complementary: 'Aside', search: 'Search', region: '', form: '', main: '', group: '', article: '', toolbar: 'Toolbar', menu: 'Menu', tabpanel: '', radiogroup: '', feed: '' }
  const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
  const boxTags = new Set(['dialog', 'header', 'nav', 'footer', 'aside', 'search', 'section', 'form', 'main', 'fieldset', 'article'])

  // walk puts every candidate into found, in reading order, and every frame element into frames.
  const walk = (clicks, found, frames) => {
    const area = { heading: '', label: undefined, el: null, role: '', up: null }
    const go = (el, cursor, area, owner) => {
      const tag = el.localName
      if (skip.has(tag)) return
      if (!el.checkVisibility()) {
        const d = getComputedStyle(el).display
        // Areas and options have no box of their own kind; an element with display: contents shows its children.
        if (d === 'none' || (d !== 'contents' && tag !== 'area' && tag !== 'option')) return
      }
      if (el.inert || el.getAttribute('aria-hidden') === 'true') return
      if (tag === 'iframe' || tag === 'frame') {
        frames.push(el)
        return
      }
      const roleAttr = el.getAttribute('role')
      if (roleAttr ? roleAttr in boxes : boxTags.has(tag)) area = { heading: '', label: undefined, el, role: S.role(el), up: area }
      // What stands in a control belongs to it; its cursor says nothing new and reading styles is dear.
      const c = owner?.kind === 'control' || tag === 'option' ? cursor : getComputedStyle(el).cursor
      const kind = kindOf(el, tag, c === 'pointer' && cursor !== 'pointer', clicks)
      let mine = owner
      if (kind) {
        mine = { el, kind, owner, area, inner: 0, cursor: c }
        found.push(mine)
        for (let o = owner; o; o = o.owner) o.inner++
      }
      if (leaves.has(tag) || (tag === 'select' && !(el.multiple || el.size > 1))) return
      if (el.shadowRoot || tag === 'slot') {
        for (const k of S.kids(el)) if (k.nodeType === 1) go(k, c, area, mine)
      } else {
        for (let k = el.firstElementChild; k; k = k.nextElementSibling) go(k, c, area, mine)
      }
      if (roleAttr === 'heading' || headings.has(tag)) area.heading = el
    }
    const root = document.documentElement
    if (root) go(root, '', area, null)
  }

  // kindOf is why el could be acted on: control, label, listener, focus, cursor, or ''.
  const kindOf = (el, tag, pointer, clicks) => {
    if (tag === 'html' || tag === 'body') return el.isContentEditable && S.editable(el) ? 'control' : ''
    if (S.control(el)) return 'control'
    if (tag === 'label') return 'label'
    if (clicks.has(el) || el.hasAttribute('onclick')) return 'listener'
    if (el.hasAttribute('tabindex') && el.tabIndex >= 0) return 'focus'
    if (pointer) return 'cursor'
    return ''
  }

  const small = (el) => {
    if (!S.shown(el)) return true
    const r = el.getBoundingClientRect()
    return r.width <= 2 || r.height <= 2 || r.right <= 0 || r.bottom + scrollY <= 0
  }

  // swap makes a label stand for a control that cannot be seen itself; null when the label is only a caption.
  const swap = (c) => {
    const ctl = c.el.control
    if (!ctl || ctl.localName !== 'input') return null
    if (ctl.type === 'hidden' || !['file', 'checkbox', 'radio'].includes(ctl.type)) return null
    const cs = getComputedStyle(ctl)
    if (small(ctl) || cs.clip !== 'auto' || cs.clipPath !== 'none' || cs.pointerEvents === 'none' || cs.opacity === '0') {
      return { ...c, el: ctl, kind: 'control', box: c.el }
    }
    return null
  }

  // keep drops what is listed by something else: pictures in buttons, wrappers, delegating roots.
  const keep = (list, view) => {
    const out = []
    const seen = new Set()
    for (let c of list) {
      if (c.kind === 'label') {
        c = swap(c)
        if (!c || seen.has(c.el)) continue
      }
      if (seen.has(c.el)) continue
      if (c.kind !== 'control') {
        let covered = false
        for (let o = c.owner; o; o = o.owner) {
          if (o.kind === 'control' || (o.kind === 'label' && o.el.control)) covered ||= getComputedStyle(o.el).visibility === 'visible'
          else if (c.kind === 'cursor' && !o.dropped) covered = true
        }
        if (covered || delegates(c, view)) {
          c.dropped = true
          continue
        }
      } else if (c.el.localName === 'option' && !c.box && !listed(c.el)) {
        continue
      }
      seen.add(c.el)
      out.push(c)
    }
    return out
  }

  const listed = (o) => {
    const s = o.closest('select')
    return s && (s.multiple || s.size > 1)
  }

  // delegates: a listener on a wrapper that only waits for what bubbles up from its controls.
  const delegates = (c, view) => {
    if (c.kind === 'focus') return false
    if (!c.inner) return false
    const r = c.el.getBoundingClientRect()
    const big = r.width * r.height > 0.5 * view.w * view.h
    if (big || c.inner > 8) return c.cursor !== 'pointer' || c.inner > 8
    let text = S.fold(c.el.innerText ?? '')
    for (const d of c.el.querySelectorAll('a[href],button,input,select,textarea,[role=button],[role=link]')) {
      const t = S.fold(d.innerText ?? '')
      if (t) text = text.replace(t, '')
    }
    return S.fold(text) === ''
  }

  S.look = (o, clickIndexes, clickCount) => {
    const all = S.all()
    const clicks = new Set()
    if (clickCount === all.length) for (const i of clickIndexes) clicks.add(all[i])
    const view = S.viewport()
    const found = []
    const frameEls = []
    S.editing = document.designMode === 'on' || all.some((el) => el.hasAttribute('contenteditable'))
    walk(clicks, found, frameEls)
    const ctx = S.scene(o, view)
    const nodes = []
    let above = 0
    let below = 0
    const words = o.query ? o.query.toLowerCase().split(/\s+/).filter(Boolean) : null
    for (const c of keep(found, view)) {
      const p = S.place(c, ctx)
      if (!p) continue
      if (!o.wholePage && p.where !== 'in') {
        if (p.where === 'above') above++
        else below++
        continue
      }
      const n = S.report(c, p, ctx)
      if (!n) continue
      if (words) {
        const hay = `${n.role} ${n.name} ${n.value ?? ''}`.toLowerCase()
        if (!words.every((w) => hay.includes(w))) continue
      }
      nodes.push(n)
    }
    S.editing = true
    const de = document.documentElement
    return {
      url: location.href, origin: S.origin(), title: document.title, ready: document.readyState,
      viewW: innerWidth, viewH: innerHeight, scrollX, scrollY,
      docW: de?.scrollWidth ?? 0, docH: Math.max(de?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0),
      walked: all.length, nodes, frames: frameEls.map((f) => S.frame(f, ctx)), above, below,
    }
  }
  // origin: a sandboxed document still sends what is typed into it to where it is from.
  S.origin = () => {
    const o = self.origin === 'null' ? location.origin : self.origin
    return o === 'null' ? '' : o
  }

  // offers: whether the page has a link that leads to exactly url.
  S.offers = (url) => {
    if (!URL.canParse(url)) return false
    const want = new URL(url).href
    return S.all().some((el) => (el.localName === 'a' || el.localName === 'area') && el.href === want)
  }

  S.areaLabel = (area) => {
    for (let a = area; a; a = a.up) {
      if (a.label === undefined) {
        const soft = a.el && (a.role === 'main' || a.role === 'article' || a.role === '' || a.role === 'form')
        const n = a.el ? S.accname(a.el) : ''
        a.label = n || (a.heading && (soft || !boxes[a.role]) ? '' : (boxes[a.role] ?? ''))
      }
      if (a.label) return a.label.slice(0, 80)
      if (a.heading) return S.accname(a.heading, true).slice(0, 80)
    }
    return ''
  }
})()
