// Accessible names by accname 1.2 and HTML-AAM. When these give none, the name a person would use: an icon's name, or
// the text beside a field.
(() => {
  const S = globalThis.__sextant

  const fromContent = new Set(
    ('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row ' +
      'rowheader switch tab tooltip treeitem label').split(' '),
  )
  const skipTags = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'iframe'])

  const drawn = { visibilityProperty: true }
  const hiddenHere = (el) => el.getAttribute('aria-hidden') === 'true' || (el.localName !== 'area' && !el.checkVisibility(drawn) && !contents(el))
  const contents = (el) => {
    const cs = getComputedStyle(el)
    return cs.display === 'contents' && cs.visibility === 'visible'
  }

  const byIds = (el, attr) => {
    const ids = el.getAttribute(attr)
    if (!ids) return []
    const root = el.getRootNode()
    return ids.split(/\s+/).map((id) => (id ? root.getElementById?.(id) : null)).filter(Boolean)
  }

  const valueOf = (el, role) => {
    switch (role) {
      case 'textbox':
      case 'searchbox':
        return el.type === 'password' ? '' : (el.value ?? el.innerText ?? '')
      case 'combobox':
      case 'listbox':
        if (el.localName === 'select') return Array.from(el.selectedOptions, (o) => S.fold(o.label)).join(' ')
        return el.value ?? ''
      case 'slider':
      case 'spinbutton':
      case 'scrollbar':
      case 'progressbar':
      case 'meter':
        return el.getAttribute('aria-valuetext') ?? el.getAttribute('aria-valuenow') ?? String(el.value ?? '')
    }
    return null
  }

  const buttonTypes = { submit: 'Submit', reset: 'Reset', button: '' }

  const labels = (el, seen) => {
    if (!el.labels?.length) return ''
    return S.fold(Array.from(el.labels, (l) => compute(l, { seen, label: el, rec: true, top: true })).join(' '))
  }

  const childText = (el, tag, seen) => {
    for (const c of el.children) if (c.localName === tag) return S.fold(compute(c, { seen, rec: true, top: true }))
    return ''
  }

  // nativeName returns the host language's label (step 2E).
  const nativeName = (el, seen) => {
    switch (el.localName) {
      case 'input': {
        const l = labels(el, seen)
        if (l) return l
        if (el.type in buttonTypes) return el.value || (el.hasAttribute('value') ? '' : buttonTypes[el.type])
        if (el.type === 'image') return el.alt || el.getAttribute('value') || el.title || 'Submit'
        return ''
      }
      case 'button': case 'meter': case 'output': case 'progress': case 'select': case 'textarea':
        return labels(el, seen)
      case 'img': case 'area':
        return el.getAttribute('alt')?.trim() ?? ''
      case 'fieldset':
        return childText(el, 'legend', seen)
      case 'figure':
        return childText(el, 'figcaption', seen)
      case 'table':
        return childText(el, 'caption', seen)
      case 'svg': {
        const t = el.querySelector(':scope > title')
        return t ? S.fold(t.textContent) : ''
      }
      case 'option': case 'optgroup':
        return el.getAttribute('label') ?? ''
      case 'video': case 'audio': case 'iframe':
        return ''
    }
    return el.form && el.labels ? labels(el, seen) : ''
  }

  const pseudo = (el, which) => {
    const c = getComputedStyle(el, which).content
    const m = /^"((?:[^"\\]|\\.)*)"/.exec(c)
    const alt = /\/\s*"((?:[^"\\]|\\.)*)"$/.exec(c)
    return alt ? alt[1] : m ? m[1] : ''
  }

  const content = (el, o) => {
    let out = ''
    if (o.pseudo) out += pseudo(el, '::before')
    const add = (n) => {
      if (n.nodeType === 3) {
        out += n.data
        return
      }
      if (n.nodeType !== 1 || skipTags.has(n.localName)) return
      const part = compute(n, { ...o, rec: true, top: false })
      if (n.localName === 'br') out += ' '
      if (!part) return
      const d = getComputedStyle(n).display
      out += d === 'inline' || d === 'contents' ? part : ' ' + part + ' '
    }
    for (const n of S.kids(el)) add(n)
    for (const n of byIds(el, 'aria-owns')) if (!o.seen.has(n)) add(n)
    if (o.pseudo) out += pseudo(el, '::after')
    return out
  }

  const compute = (el, o) => {
    if (o.seen.has(el)) return ''
    if (!o.refHidden && hiddenHere(el)) return ''
    o.seen.add(el)
    const role = S.role(el)
    if (!o.inRef) {
      const refs = byIds(el, 'aria-labelledby')
      if (refs.length) {
        const text = refs.map((r) => {
          const seen = new Set(o.seen)
          seen.delete(r)
          return compute(r, { seen, inRef: true, rec: true, top: true, refHidden: hiddenHere(r), pseudo: o.pseudo })
        })
        const s = S.fold(text.join(' '))
        if (s) return s
      }
    }
    if (o.rec && !o.top && el !== o.label) {
      const v = valueOf(el, role)
      if (v !== null && S.control(el)) return v
    }
    if (o.rec && el === o.label) return ''
    const aria = el.getAttribute('aria-label')?.trim()
    if (aria) return aria
    const raw = el.getAttribute('role')
    if (raw !== 'none' && raw !== 'presentation') {
      const n = nativeName(el, o.seen)
      if (n) return n
    }
    if (o.rec || fromContent.has(role) || o.force) {
      const c = content(el, o)
      if (S.fold(c)) return c
    }
    const title = el.getAttribute('title')?.trim()
    if (title) return title
    if (S.isTextField(el)) return el.getAttribute('placeholder')?.trim() || el.getAttribute('aria-placeholder')?.trim() || ''
    return el.getAttribute('aria-placeholder')?.trim() || ''
  }

  // Private-use characters are glyphs of an icon font and are not text.
  const clean = (s) => S.fold(/^[\x20-\x7e]*$/.test(s) ? s : s.replace(/[\u{E000}-\u{F8FF}\u{F0000}-\u{10FFFD}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, ''))

  const stop = new Set(
    ('icon icons ico ui fa fas far fal fab fad solid regular light brands bi mdi md material lucide ti ri feather glyphicon svg ' +
      'btn button link img image sm lg xl xs md outline fill filled small large left right inline block flex w h p m px py mx my ' +
      'sprite symbol i use path is has text bg border rounded primary secondary').split(' '),
  )
  const words = (s) =>
    s.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/).filter((w) => w.length > 1 && !stop.has(w))

  const file = (src) => {
    const m = /([^/?#]+?)(?:\.[a-z0-9]{2,5})?(?:[?#].*)?$/i.exec(src.startsWith('data:') ? '' : src)
    return m ? words(m[1]).join(' ') : ''
  }

  S.iconName = (el) => {
    for (const d of el.querySelectorAll('[title],[aria-label],[alt]')) {
      const t = d.getAttribute('aria-label') || d.getAttribute('title') || d.getAttribute('alt')
      if (t?.trim()) return S.fold(t)
    }
    const t = el.querySelector('svg title, svg desc')
    if (t?.textContent.trim()) return S.fold(t.textContent)
    for (const u of [el, ...el.querySelectorAll('use')]) {
      const href = u.localName === 'use' ? u.getAttribute('href') || u.getAttribute('xlink:href') || '' : ''
      const frag = words(href.split('#')[1] ?? '').join(' ')
      if (frag) return frag
    }
    for (const a of ['data-icon', 'data-lucide', 'data-feather', 'icon', 'data-tooltip', 'data-original-title', 'data-title', 'name']) {
      const d = el.hasAttribute(a) ? el : el.querySelector(`[${a}]`)
      const v = d?.getAttribute(a)
      if (v?.trim()) return a.startsWith('data-t') || a.startsWith('data-o') ? S.fold(v) : words(v).join(' ')
    }
    const shown = S.pictured(el)
    if (shown) return shown
    const pic = el.localName === 'img' ? el : el.querySelector('img[src]')
    if (pic) {
      const f = file(pic.getAttribute('src') ?? '')
      if (f) return f
    }
    for (const d of [...el.querySelectorAll('i,span,svg'), el]) {
      const w = words(d.getAttribute('class') ?? '')
      if (w.length && w.length < 5) return w.join(' ')
    }
    return words(el.id ?? '').join(' ')
  }

  // beside returns the text on a field's line or right above it, which labels fields without a label.
  const beside = (el) => {
    for (let n = el, i = 0; n && i < 4; n = n.parentElement, i++) {
      const r = n.getBoundingClientRect()
      for (let p = n.previousSibling; p; p = p.previousSibling) {
        if (p.nodeType === 1 && (p.localName === 'table' || S.control(p) || p.querySelector('input,select,textarea,button'))) return ''
        const t = p.nodeType === 8 ? '' : S.fold(p.nodeType === 1 && !S.shown(p) ? '' : p.textContent ?? '')
        if (t && isValue(t, p)) continue
        if (t) return t.length <= 60 && near(p, r) ? t.replace(/[:*]\s*$/, '') : ''
      }
      if (n.localName === 'form' || n.localName === 'body') break
    }
    return ''
  }
  // isValue reports whether the text of p shows the value of the control before it.
  const isValue = (text, p) => {
    const before = p.previousElementSibling
    return p.localName === 'output' || (!/\p{L}{3}/u.test(text) && /\d/.test(text) && !!before && S.control(before.control ?? before))
  }
  const near = (p, r) => {
    if (!r.width || !r.height) return true
    const range = document.createRange()
    range.selectNode(p)
    const t = range.getBoundingClientRect()
    if (t.bottom > r.top + 2 && t.top < r.bottom) return r.left - t.right < 250
    return r.top - t.bottom < 24 && t.left < r.right && t.right > r.left
  }

  const after = (el) => {
    for (let p = el.nextSibling; p; p = p.nextSibling) {
      if (p.nodeType === 1 && S.control(p)) return ''
      const t = S.fold(p.nodeType === 8 ? '' : p.textContent ?? '')
      if (t) return t.length <= 80 ? t : ''
    }
    return ''
  }

  const fields = new Set('textbox searchbox combobox listbox slider spinbutton file color date time datetime month week'.split(' '))

  S.accname = (el, force) => quick(el) || clean(compute(el, { seen: new Set(), top: true, force }))

  // quick returns the name in the most common cases: text only, or one attribute.
  const wordy = new Set(['a', 'button', 'label', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
  const quick = (el) => {
    if (el.hasAttribute('aria-labelledby') || el.hasAttribute('aria-owns')) return ''
    const aria = el.getAttribute('aria-label')
    if (aria) return clean(aria)
    if (!wordy.has(el.localName) || el.firstElementChild || el.hasAttribute('role') || S.rootOf(el)) return ''
    if (el.localName === 'button' && el.labels.length) return ''
    return el.checkVisibility(drawn) ? clean(el.textContent) : ''
  }

  const worded = (text) => (text.length <= 60 && /\p{L}/u.test(text) ? text : '')

  // name returns the name that a model reads: by the rules, or else by what is visible.
  S.name = (el, role) => {
    let n = S.accname(el)
    if (n) return n.slice(0, 300)
    if (role === 'checkbox' || role === 'radio' || role === 'switch') n = after(el) || beside(el)
    else if (fields.has(role)) n = beside(el) || (role === 'slider' ? worded(S.fold(el.textContent)) : '')
    else if (role !== 'canvas' && !S.lists.has(role)) n = S.accname(el, true) || clean(compute(el, { seen: new Set(), top: true, force: true, pseudo: true }))
    if (!n && fields.has(role)) n = words(el.getAttribute('name') || el.id || '').join(' ')
    if (!n && !fields.has(role)) n = S.paint(el, S.drawn(el) ? '' : S.iconName(el))
    // A link without any name gets the last part of its address.
    if (!n && role === 'link' && /^https?:$/.test(el.protocol)) n = file(el.pathname.replace(/\/$/, ''))
    return clean(n).slice(0, 300)
  }
})()
