// Walks the flat tree once and collects the elements that a person can act on, with their positions.
(() => {
  const S = globalThis.__sextant

  const boxes = { dialog: 'Dialog', alertdialog: 'Dialog', banner: 'Header', navigation: 'Navigation', contentinfo: 'Footer', complementary: 'Aside', search: 'Search', region: '', form: '', main: '', group: '', article: '', toolbar: 'Toolbar', menu: 'Menu', tabpanel: '', radiogroup: '', feed: '' }
  const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
  const boxTags = new Set(['dialog', 'header', 'nav', 'footer', 'aside', 'search', 'section', 'form', 'main', 'fieldset', 'article'])

  const seen = { visibilityProperty: true }

  const walk = (list, clicks, pointers, ctx, found) => {
    const top = { el: null, role: '', up: null, heading: null, snap: null }
    const around = new Map()
    const about = (el) => {
      let a = around.get(el)
      if (a) return a
      const p = ctx.up(el)
      const b = p ? about(p) : { owner: null, area: top, hidden: false, off: false }
      if (!el.hasAttributes() && !boxTags.has(el.localName)) {
        a = { owner: b.owner, area: b.area, hidden: b.hidden, off: b.off }
        around.set(el, a)
        return a
      }
      const role = el.getAttribute('role')
      let area = b.area
      if (role ? role in boxes : boxTags.has(el.localName)) area = { el, role: S.role(el), up: b.area, heading: null, snap: null }
      a = {
        owner: b.owner, area, hidden: b.hidden || el.hasAttribute('inert') || el.getAttribute('aria-hidden') === 'true',
        off: b.off || el.getAttribute('aria-disabled') === 'true',
      }
      around.set(el, a)
      return a
    }
    for (const el of list) {
      const tag = el.localName
      const a = about(el)
      if (a.hidden) continue
      const drawn = el.checkVisibility(seen)
      if (!drawn && !el.checkVisibility() && tag !== 'area' && tag !== 'option' && getComputedStyle(el).display !== 'contents') continue
      if (tag === 'iframe' || tag === 'frame') {
        found.push({ frame: el })
        continue
      }
      const owner = a.owner
      const kind = kindOf(el, tag, clicks) || (owner?.kind !== 'control' && pointers.has(el) && S.hasPointerCursor(el) ? 'cursor' : '')
      if (kind) {
        const mine = { el, kind, drawn, owner, area: snapshot(a.area), off: a.off, inner: 0, inside: [] }
        a.owner = mine
        found.push(mine)
        for (let o = owner; o; o = o.owner) {
          o.inner++
          if ((kind === 'control' || kind === 'cursor') && o.kind !== 'control' && o.inside.length < 9) o.inside.push(el)
        }
      }
      if (headings.has(tag) || el.getAttribute('role') === 'heading') (ctx.up(el) ? about(ctx.up(el)).area : top).heading = el
    }
  }

  const snapshot = (a) => {
    if (!a) return null
    const up = snapshot(a.up)
    if (a.snap?.heading !== a.heading || a.snap.up !== up) a.snap = { el: a.el, role: a.role, heading: a.heading, up, label: undefined }
    return a.snap
  }

  const kindOf = (el, tag, clicks) => {
    if (tag === 'html' || tag === 'body') return S.editable(el) ? 'control' : ''
    if (S.control(el)) return 'control'
    if (tag === 'label') return 'label'
    if (clicks.has(el) || S.drawnOn(el, clicks) || handlers.some((h) => el.hasAttribute(h))) return 'listener'
    if (el.hasAttribute('tabindex') && el.tabIndex >= 0) return 'focus'
    if (S.movable(el)) return 'drag'
    return ''
  }
  const handlers = ['onclick', 'onmousedown', 'onpointerdown', 'ondblclick']

  const small = (el) => {
    if (!S.shown(el)) return true
    const r = el.getBoundingClientRect()
    return r.width <= 2 || r.height <= 2 || r.right <= 0 || r.bottom + scrollY <= 0
  }

  // swap replaces a label by its control when that is invisible; null when the label is only a caption.
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

  // keep drops candidates that another one represents: pictures in buttons, wrappers, delegating roots.
  const keep = (list, view) => {
    const out = []
    const seen = new Set()
    for (let c of list) {
      if (c.frame) {
        out.push(c)
        continue
      }
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
      } else if ((c.el.localName === 'option' && !c.box && !listed(c.el)) || echoes(c)) {
        continue
      }
      seen.add(c.el)
      out.push(c)
    }
    return out
  }

  // echoes reports whether a link or button only repeats the text of the tab or menu entry that contains it.
  const parts = new Set(['tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'])
  const echoes = (c) => {
    const o = c.owner
    if (o?.kind !== 'control' || o.inner > 1 || c.el.tabIndex >= 0 || !parts.has(S.role(o.el))) return false
    return S.fold(c.el.textContent) === S.fold(o.el.textContent)
  }

  const listed = (o) => {
    const s = o.closest('select')
    return s && (s.multiple || s.size > 1)
  }

  // delegates reports whether a listener on a wrapper is only for events that bubble up from controls in it, or from
  // entries with their own pointer cursor.
  const delegates = (c, view) => {
    if (c.kind === 'focus') return false
    if (!c.inner) return false
    const r = c.el.getBoundingClientRect()
    const big = r.width * r.height > 0.5 * view.w * view.h
    if (big || c.inner > 8) return c.inner > 8 || getComputedStyle(c.el).cursor !== 'pointer'
    // A press on a link or button in it may drag that instead.
    if (c.kind === 'drag') return false
    let text = S.fold(c.el.innerText ?? '')
    for (const d of c.inside) {
      for (const e of [d, ...(d.labels ?? [])]) {
        const t = S.fold(e.innerText ?? '')
        if (t) text = text.replace(t, '')
      }
    }
    return S.fold(text) === ''
  }

  // look returns one text. "?…" asks for missing information. "=" starts the result: a record of the document with
  // its frames, its groups, and then the nodes.
  S.look = (o, ids, roots, found, enough) => {
    const ground = S.ground(enough)
    // A speculative look asks for nothing, because what is asked for counts as known from then on.
    if (enough === 'peek' && (ground.suspects.length || S.asksAbove(ground))) return '?'
    if (ground.suspects.length) return '?roots:' + ground.suspects.join(',')
    if (found?.mode === 'window') {
      S.hearAbove(found)
      found = null
    } else if (found === null && S.asksAbove(ground)) return '?window'
    const need = S.hear(ids, roots, found, ground)
    if (need) return '?' + need
    const clicks = S.clicks(found, ground)
    const view = S.viewport()
    const ctx = S.scene(o, view)
    ctx.focus = S.focusNow()
    ctx.up = ground.hosts.size ? S.up : (n) => n.parentElement
    const { list, pointers } = S.candidates(ground, clicks)
    const things = []
    walk(list, clicks, pointers, ctx, things)
    const frames = []
    const nodes = []
    const groups = new Map()
    let above = 0
    let below = 0
    const words = o.query ? o.query.toLowerCase().split(/\s+/).filter(Boolean) : null
    for (const c of keep(things, view)) {
      if (c.frame) {
        frames.push({ ...S.frame(c.frame, ctx), at: nodes.length })
        continue
      }
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
        const hay = `${n.role} ${n.name} ${n.value}`.toLowerCase()
        if (!words.every((w) => hay.includes(w))) continue
      }
      n.el = c.el
      nodes.push(n)
    }
    S.rows(nodes, ctx)
    const packed = nodes.map((n) => S.packNode(n, groups))
    const de = document.documentElement
    const page = {
      url: location.href, origin: S.origin(), title: document.title, ready: document.readyState, now: performance.now(),
      viewW: innerWidth, viewH: innerHeight, scrollX, scrollY,
      docW: de?.scrollWidth ?? 0, docH: Math.max(de?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0),
      walked: ground.all.length, frames, above, below,
    }
    packed.unshift(JSON.stringify(page).replaceAll('`', '\\u0060'), S.packGroups(groups))
    return '=' + packed.join('`')
  }
  // A sandboxed document still sends typed text to the origin that it was loaded from.
  S.origin = () => {
    const o = self.origin === 'null' ? location.origin : self.origin
    return o === 'null' ? '' : o
  }

  S.framed = () => {
    let at = document.activeElement
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
    return at !== null && ['IFRAME', 'FRAME', 'OBJECT', 'EMBED', 'FENCEDFRAME'].includes(at.tagName)
  }

  S.offers = (url) => {
    if (!URL.canParse(url)) return false
    const want = new URL(url).href
    return S.all().some((el) => (el.localName === 'a' || el.localName === 'area') && el.href === want)
  }

  const signOutAddress = /((?<![a-zA-Z])(log|sign)|Log|Sign|LOG|SIGN)([-_]|%20)?([oO](ut|ff)|OUT|OFF)(?![a-z])/
  const signOutName = new RegExp(
    '^(log ?out|log off|sign ?out|sign off|abmelden|ausloggen|déconnexion|se déconnecter|cerrar sesión|salir|sair|' +
      'terminar sessão|esci|disconnetti|uitloggen|afmelden|wyloguj|выйти|выход|退出|登出|ログアウト|サインアウト|로그아웃)' +
      '(?![\\p{L}])',
    'iu',
  )
  const mayBeSignOut = 'a, button, input[type=submit], input[type=button], [role=button], [role=menuitem], [role=link]'
  /** Reports whether the document offers to sign out, also in a closed menu. */
  S.signedIn = () =>
    S.all().some((el) => {
      if (el.localName === 'a' && signOutAddress.test(el.getAttribute('href') ?? '')) return true
      if (el.localName === 'form' && signOutAddress.test(el.getAttribute('action') ?? '')) return true
      if (!el.matches(mayBeSignOut)) return false
      const name = (el.getAttribute('aria-label') || el.value || el.textContent).trim()
      return name.length < 40 && signOutName.test(name)
    })

  S.areaLabel = (area) => {
    for (let a = area; a; a = a.up) {
      if (a.label === undefined) {
        const soft = a.el && (a.role === 'main' || a.role === 'article' || a.role === '' || a.role === 'form')
        const n = a.el ? S.accname(a.el) : ''
        a.label = n || (a.heading && (soft || !boxes[a.role]) ? '' : (boxes[a.role] ?? ''))
      }
      if (a.label) return a.label.slice(0, 80)
      if (a.heading) return (a.title ??= S.accname(a.heading, true).slice(0, 80))
    }
    return ''
  }
})()
