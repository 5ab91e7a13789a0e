// Finds the elements with their own pointer cursor: the page's style rules select candidates, and their computed
// styles decide.
(() => {
  const S = globalThis.__sextant
  const pointer = 'pointer'
  const read = new WeakMap()

  // rulesOf returns the selectors of a sheet's rules that set a cursor, null when the sheet cannot be read.
  const rulesOf = (sheet) => {
    let rules
    try {
      rules = sheet.cssRules
    } catch {
      return null
    }
    const old = read.get(sheet)
    const fresh = () => old.nested.every(([r, n]) => r.cssRules.length === n) && old.inner.every(([s, was]) => rulesOf(s) === was)
    if (old && old.count === rules.length && fresh()) return old.selectors
    const selectors = new Set()
    const inner = []
    const nested = []
    let closed = false
    let pending = false
    const go = (list, above) => {
      for (const r of list) {
        if (r instanceof CSSImportRule) {
          if (!r.styleSheet) {
            pending = true
            continue
          }
          const more = rulesOf(r.styleSheet)
          inner.push([r.styleSheet, more])
          if (more) for (const s of more) selectors.add(s)
          else closed = true
          continue
        }
        let here = above
        if (r.selectorText !== undefined) {
          here = r.selectorText
          if (above && here.includes('&')) here = here.replaceAll('&', `:is(${above})`)
          else if (above) here = `:is(${above}) :is(${here})`
          // Each & repeats its whole parent selector, so a few nested rules could fill the memory.
          if (here.length > 2000) {
            closed = true
            continue
          }
          const c = r.style?.cursor
          if (c && (c.includes(pointer) || c.includes('var('))) for (const s of plain(here)) selectors.add(s)
        }
        if (!r.cssRules) continue
        if (r.cssRules.length || r.selectorText === undefined) nested.push([r, r.cssRules.length])
        if (r.cssRules.length) go(r.cssRules, here)
      }
    }
    go(rules, '')
    const out = closed ? null : [...selectors]
    if (pending) read.delete(sheet)
    else read.set(sheet, { count: rules.length, selectors: out, inner, nested })
    return out
  }

  const controls = /^(a|button|select|summary|input|label|area|option|textarea)\b[^\s>+~]*$/

  // plain returns the selectors of a list without pointer states, and without those of native controls only, which
  // are listed anyway.
  const plain = (text) => {
    const out = []
    for (const s of split(text)) {
      const t = s.replace(/:(hover|active|focus|focus-visible|focus-within)(?![\w(-])/g, '').replace(/::[\w-]+(\([^)]*\))?/g, '').trim() || '*'
      if (!controls.test(t)) out.push(t)
    }
    return out
  }
  const split = (text) => {
    if (!/[(["']/.test(text)) return text.split(',').map((s) => s.trim())
    const out = []
    let depth = 0
    let from = 0
    let quote = ''
    for (let i = 0; i < text.length; i++) {
      const ch = text[i]
      if (ch === '\\') i++
      else if (quote) quote = ch === quote ? '' : quote
      else if (ch === '"' || ch === "'") quote = ch
      else if (ch === '(' || ch === '[') depth++
      else if (ch === ')' || ch === ']') depth--
      else if (ch === ',' && !depth) {
        out.push(text.slice(from, i).trim())
        from = i + 1
      }
    }
    out.push(text.slice(from).trim())
    return out
  }

  // bySigns reads the computed styles of a few elements of each kind (tag, class and style), for documents whose
  // style sheets cannot be read or match too much.
  const bySigns = (all, out) => {
    const kinds = new Map()
    for (const el of all) {
      const sign = `${el.localName}|${el.getAttribute('class') ?? ''}|${el.getAttribute('style') ?? ''}`
      let k = kinds.get(sign)
      if (!k) kinds.set(sign, (k = { asked: 0, pointer: false }))
      if (k.asked < 4) {
        k.asked++
        k.pointer ||= getComputedStyle(el).cursor === pointer
      }
      if (k.pointer) out.add(el)
    }
  }

  // pointers returns the elements to which the rules may give a pointer cursor.
  S.pointers = (ground) => {
    const out = new Set()
    let closed = false
    for (const root of ground.roots) {
      const selectors = new Set()
      const from = root === S.scope ? document : root
      for (const sheet of [...from.styleSheets, ...from.adoptedStyleSheets]) {
        if (sheet.disabled) continue
        const list = rulesOf(sheet)
        if (list) for (const s of list) selectors.add(s)
        else closed = true
      }
      if (selectors.size > 400 || (selectors.size > 60 && ground.all.length > 10000)) closed = true
      if (closed) continue
      for (const s of selectors) {
        try {
          if (s.includes(':host') && root.host) out.add(root.host)
          for (const el of root.querySelectorAll(s)) out.add(el)
        } catch {
          closed = true
        }
      }
      for (const el of root.querySelectorAll('[style*=cursor i]')) out.add(el)
    }
    if (closed) bySigns(ground.all, out)
    return out
  }

  // hasPointerCursor reports whether el has the pointer cursor without inheriting it.
  S.hasPointerCursor = (el) => {
    if (getComputedStyle(el).cursor !== pointer) return false
    const up = S.up(el)
    return !up || getComputedStyle(up).cursor !== pointer
  }
})()
