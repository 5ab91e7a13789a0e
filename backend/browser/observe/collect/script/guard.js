// Detects whether a node still has the content that it had when it was reported, and guards key presses: only those
// that reach the intended element get through.
(() => {
  const S = globalThis.__sextant
  const err = (message) => {
    throw new Error(message)
  }
  const fields = new Set(['input', 'textarea', 'select'])
  const rows = 'tr,li,article,[role=row],[role=listitem],[role=article],[role=treeitem]'

  const rowText = (row) => {
    const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
    for (let n = walk.nextNode(), i = 0; n && i < 50; n = walk.nextNode(), i++) {
      const t = S.fold(n.data)
      if (t && !n.parentElement?.closest('button,select,textarea,script,style,[role=button]')) return t.slice(0, 60)
    }
    return ''
  }

  const rowFor = (el) => el.parentElement?.closest(rows) ?? null
  S.rowOf = (el) => {
    const row = rowFor(el)
    return row ? rowText(row) : ''
  }

  // sign returns the text of el itself, which distinguishes it from other content that a page shows in the same node.
  S.sign = (el) => {
    const a = (n) => el.getAttribute(n) ?? ''
    let text = ''
    if (!fields.has(el.localName) && !el.isContentEditable && el.getElementsByTagName('*').length < 30) text = S.fold(el.textContent.slice(0, 400)).slice(0, 120)
    return [a('aria-label'), text, a('title'), a('alt')].filter(Boolean).join(' · ')
  }

  const hash = (s) => {
    let h = 2166136261
    for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 16777619)
    return (h >>> 0).toString(36)
  }
  const plain = (s) => s.replace(/\d+/g, '')

  // markOf returns a hash of a text and, after a point, one of the text without its digits. mark is that of sign,
  // rowMark that of rowOf.
  const markOf = (s) => (s ? hash(s) + '.' + hash(plain(s)) : '')
  S.mark = (el) => markOf(S.sign(el))
  S.rowMark = (el) => {
    const row = rowFor(el)
    if (!row) return ''
    const known = marks?.get(row)
    if (known !== undefined) return known
    const mark = markOf(rowText(row))
    marks?.set(row, mark)
    return mark
  }
  // marks caches the hashes of rows, which do not change during one look.
  let marks = null
  const look = S.look
  S.look = (...a) => {
    marks = new Map()
    try {
      return look(...a)
    } finally {
      marks = null
    }
  }
  const looser = (mark) => mark.slice(mark.indexOf('.'))

  // differs returns null when el is unchanged since its id was reported, else the new text of el or of its row. loose
  // and looseRow ignore digits. A row with other words is another row; one with other digits may be the same row with
  // a counter.
  S.differs = (el, o) => {
    const row = o.row ? S.rowMark(el) : ''
    if (o.row && row !== o.row && looser(row) !== looser(o.row)) return { row: true, text: S.rowOf(el) }
    if (typeof o.sign === 'string') {
      const is = S.mark(el)
      if (is !== o.sign && !(o.loose && looser(is) === looser(o.sign))) return { text: S.sign(el), mark: is }
    }
    return o.row && row !== o.row && !o.looseRow ? { text: S.rowOf(el), rowMark: row } : null
  }

  S.still = (h, o) => {
    const el = S.live(h)
    return el ? { gone: false, ...S.differs(el, o) } : { gone: true }
  }

  const patience = 3000
  let armed = null

  const focused = () => {
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    return f
  }

  // guardKeys stops keys and text that would not reach el, until S.keys is called. With orFocused, the element that
  // has the focus now may also receive them, because the page moved the focus there.
  S.guardKeys = (h, orFocused) => {
    const el = S.live(h) ?? err('gone')
    S.keys()
    const also = orFocused ? focused() : null
    const state = { seen: false, hit: false, kept: false, text: '', off: null }
    // The caller may have ended, so the guard expires.
    let until = performance.now() + patience
    const reached = (at) =>
      at?.nodeType === 1 && at !== document.body && at !== document.documentElement && (S.within(at, el) || S.within(el, at) || at === also)
    const on = (e) => {
      if (!e.isTrusted) return
      if (performance.now() > until) return state.off()
      const at = e.composedPath()[0]
      if (!state.kept && (e.type === 'keydown' || e.type === 'beforeinput')) {
        state.seen = true
        state.hit = reached(at)
        state.kept = !state.hit
        if (state.hit) until = performance.now() + patience
        else state.text = at?.nodeType === 1 ? S.cover(at, el).text : 'document'
      }
      if (state.kept) {
        e.stopImmediatePropagation()
        e.preventDefault()
      }
    }
    const types = ['keydown', 'keypress', 'keyup', 'beforeinput']
    for (const t of types) window.addEventListener(t, on, { capture: true })
    state.off = () => types.forEach((t) => window.removeEventListener(t, on, { capture: true }))
    armed = state
    return true
  }
  S.keys = () => {
    armed?.off()
    const was = armed
    armed = null
    return was ? { seen: was.seen, hit: was.hit, kept: was.kept, text: was.text } : { seen: false, hit: false, kept: false, text: '' }
  }
})()
