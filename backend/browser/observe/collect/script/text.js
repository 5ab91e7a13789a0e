// Readable content: visible text, selections, and the document as HTML.
(() => {
  const S = globalThis.__sextant
  const dropped = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'iframe', 'frame', 'object', 'embed', 'canvas', 'datalist', 'slot'])
  const voids = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'])
  const inlineTags = new Set(['a', 'abbr', 'b', 'bdi', 'bdo', 'cite', 'code', 'em', 'font', 'i', 'kbd', 'mark', 'q', 's', 'samp', 'small', 'span', 'strong', 'sub', 'sup', 'time', 'u', 'var', 'slot', 'label'])

  // texts returns the visible text nodes below el in flat-tree order; null is a break between blocks.
  S.texts = (el) => {
    const out = []
    const go = (n) => {
      if (n.nodeType === 3) {
        if (n.data) out.push(n)
        return
      }
      if (n.nodeType !== 1) return
      const tag = n.localName
      if (dropped.has(tag) && tag !== 'slot') return
      if (tag === 'br') return void out.push(null)
      if (!S.rendered(n)) return
      const cs = getComputedStyle(n)
      const block = !inlineTags.has(tag) || cs.display !== 'inline'
      if (block) out.push(null)
      const hidden = cs.visibility !== 'visible'
      for (const k of S.kids(n)) if (!(hidden && k.nodeType === 3)) go(k)
      if (tag === 'input' && /^(submit|button|reset)$/.test(n.type)) out.push({ data: n.value, fake: true })
      if (block) out.push(null)
    }
    go(el)
    return out
  }

  S.hasText = (text) => {
    const want = S.fold(text).toLowerCase()
    const body = S.body()
    if (!want || !body) return !want
    if (S.fold(body.innerText).toLowerCase().includes(want)) return true
    let all = ''
    for (const t of S.texts(body)) all += t ? t.data : ' '
    return S.fold(all).toLowerCase().includes(want)
  }

  const charted = (el) => {
    let text = ''
    const at = []
    let gap = false
    for (const t of S.texts(el)) {
      if (!t || t.fake) {
        gap = text !== ''
        continue
      }
      for (let i = 0; i < t.data.length; i++) {
        const ch = t.data[i]
        if (/\s/.test(ch)) {
          gap = text !== ''
          continue
        }
        if (gap) {
          text += ' '
          at.push([t, i])
          gap = false
        }
        text += ch
        at.push([t, i])
      }
    }
    return { text, at }
  }

  const slice = (length, start, end) => {
    const a = Math.min(Math.max(start, 0), length)
    const b = end > 0 ? Math.min(end, length) : length
    if (b <= a) throw new Error(`nothing between characters ${start} and ${end}; the text has ${length}`)
    return [a, b]
  }

  S.selectText = (h, want, start, end) => {
    const el = h ? S.live(h) : S.body()
    if (!el) throw new Error('gone')
    if (S.isTextField(el)) return selectField(el, want, start, end)
    const { text, at } = charted(el)
    let from = 0
    let length = text.length
    if (want) {
      const w = S.fold(want)
      from = text.indexOf(w)
      if (from < 0) {
        // Lower case changes the length of a few letters; texts with these are found only in their exact case.
        const low = text.toLowerCase()
        from = low.length === text.length ? low.indexOf(w.toLowerCase()) : -1
      }
      if (from < 0) throw new Error(`the text "${w.slice(0, 80)}" is not on the page`)
      length = w.length
    }
    const [a, b] = slice(length, start, end)
    if (!at.length) throw new Error('there is no text in it')
    const [n1, o1] = at[from + a]
    const [n2, o2] = at[from + b - 1]
    n1.parentElement?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
    getSelection().setBaseAndExtent(n1, o1, n2, o2 + 1)
    return text.slice(from + a, from + b)
  }

  const selectField = (el, want, start, end) => {
    if (el.type === 'password') throw new Error('the content of a password field is not selected')
    let from = 0
    let length = el.value.length
    if (want) {
      from = el.value.indexOf(want)
      if (from < 0) throw new Error(`the field does not hold "${want.slice(0, 80)}"`)
      length = want.length
    }
    const [a, b] = slice(length, start, end)
    el.focus({ preventScroll: true })
    try {
      el.setSelectionRange(from + a, from + b)
    } catch {
      el.select()
      return el.value
    }
    return el.value.slice(from + a, from + b)
  }

  S.selection = () => {
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    if (f && S.isTextField(f) && !S.secret(f)) {
      try {
        if (f.selectionStart !== null && f.selectionStart !== f.selectionEnd) return f.value.slice(f.selectionStart, f.selectionEnd).slice(0, 200000)
      } catch {
        return ''
      }
    }
    return getSelection().toString().slice(0, 200000)
  }

  S.edits = () => {
    const n = getSelection().anchorNode
    return !!(n?.nodeType === 1 ? n : n?.parentElement)?.isContentEditable
  }

  const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const att = (s) => esc(s).replace(/"/g, '&quot;')
  const keep = ['href', 'src', 'alt', 'title', 'colspan', 'rowspan', 'start', 'type', 'lang', 'dir', 'datetime', 'role', 'class', 'id', 'itemprop', 'rel', 'name', 'content', 'open']
  const limit = 8_000_000

  S.html = () => {
    const out = []
    let size = 0
    const put = (s) => {
      size += s.length
      out.push(s)
    }
    const go = (n) => {
      if (size > limit) return
      if (n.nodeType === 3) return put(esc(n.data))
      if (n.nodeType !== 1) return
      const tag = n.localName
      if (tag === 'slot') {
        for (const k of S.kids(n)) go(k)
        return
      }
      if (tag === 'svg') {
        if (S.rendered(n)) drawing(n)
        return
      }
      if ((dropped.has(tag) && tag !== 'canvas') || !S.rendered(n)) return
      const hidden = getComputedStyle(n).visibility !== 'visible'
      if (tag === 'canvas') return hidden ? undefined : void put(` [${esc(canvas(n))}] `)
      if (field(n, tag)) return
      const shown = hidden || tag !== 'img' ? '' : picture(n)
      if (shown) return void put(` [${esc(shown)}] `)
      const name = tag.includes('-') ? 'div' : tag
      put((tag === 'button' ? ' <' : '<') + name)
      for (const a of keep) {
        const v = a === 'href' && n.localName === 'a' ? leads(n) : a === 'src' && tag === 'img' ? n.currentSrc || n.src : n.getAttribute(a)
        if (typeof v === 'string' && v !== '' && !v.startsWith('data:')) put(` ${a}="${att(v.slice(0, 2000))}"`)
      }
      put('>')
      if (voids.has(tag)) return
      if (seen < most && !n.firstChild) swatch(n)
      for (const k of S.kids(n)) if (!(hidden && k.nodeType === 3)) go(k)
      put(`</${name}>${tag === 'button' ? ' ' : ''}`)
    }
    // leads returns the address of a link, '' when the link stays on this page or runs a script.
    const here = location.href.split('#')[0]
    const leads = (a) => (!/^https?:|^mailto:|^tel:|^ftp:/.test(a.href) || a.href.split('#')[0] === here ? '' : a.href)
    const picture = (n) => {
      if (n.alt) return ''
      const r = n.getBoundingClientRect()
      if (r.width < 8 || r.height < 8) return ''
      const file = /^data:/.test(n.src) ? '' : ((n.currentSrc || n.src).split(/[?#]/)[0].split('/').pop() ?? '')
      return `picture ${file.slice(0, 80)}`.trim() + sizeOf(r)
    }
    const sizeOf = (r) => ` ${Math.round(r.width)}×${Math.round(r.height)}`
    // canvas says where it is in the viewport, because it can only be acted on by coordinates.
    const canvas = (n) => {
      const r = n.getBoundingClientRect()
      const place = self === top ? ` at ${Math.round(r.x)},${Math.round(r.y)}` : ''
      return `canvas ${S.accname(n).slice(0, 80)}`.trim() + sizeOf(r) + place
    }
    // The number of parts of pictures, colors and icons that are described between words.
    const most = 200
    let seen = 0
    const drawing = (svg) => {
      const t = S.fold(svg.getAttribute('aria-label') ?? '') || (seen++ < most ? S.drawing(svg) : '')
      if (t) put(`<div>${esc(t)}</div>`)
    }
    const swatch = (n) => {
      const t = S.swatch(n)
      if (!t) return
      seen++
      put(`${esc(t)} `)
    }
    const field = (n, tag) => {
      if (tag === 'input') {
        if (n.type === 'hidden') return true
        const r = S.role(n)
        if (n.type === 'checkbox' || n.type === 'radio') put(n.checked ? '[x] ' : '[ ] ')
        else if (n.type === 'file') put('')
        else put(`<span>${esc(S.value(n, r) || (r === 'button' ? S.name(n, r) : ''))}</span> `)
        return true
      }
      if (tag === 'textarea') {
        put(`<p>${esc(S.secret(n) ? '' : n.value.slice(0, 100_000))}</p>`)
        return true
      }
      if (tag === 'select') {
        put(`<span>${esc(S.value(n, S.role(n)))}</span> `)
        return true
      }
      return false
    }
    put(`<!doctype html><html lang="${att(document.documentElement?.lang ?? '')}"><head><title>${esc(document.title)}</title></head>`)
    if (S.body()) go(S.body())
    put('</html>')
    return out.join('')
  }
})()
