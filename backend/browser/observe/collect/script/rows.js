// Elements with the same name are distinguished by the row that contains them, or else by their place.
(() => {
  const S = globalThis.__sextant
  const most = 4000
  const maxShared = 500
  const maxPlaced = 100

  // rows adds what distinguishes each of several equal elements as a state: in "Ana Lima", or at row 2, 3 of 5.
  S.rows = (nodes, ctx) => {
    const alike = new Map()
    for (const n of nodes) {
      const k = n.role + '|' + n.name
      const list = alike.get(k)
      if (list) list.push(n)
      else alike.set(k, [n])
    }
    for (const list of alike.values()) {
      if (list.length < 2 || list.length > most) continue
      const counts = new Map()
      for (const n of list) for (let p = ctx.up(n.el); p; p = ctx.up(p)) counts.set(p, (counts.get(p) ?? 0) + 1)
      const words = distinct(list.map((n) => rowOf(n, counts, ctx)), (i) => rowOf(list[i], counts, ctx, true))
      const differ = new Set(words).size > 1
      list.forEach((n, i) => differ && words[i] && n.states.push(`in "${words[i]}"`))
      const rest = list.filter((_, i) => !words[i])
      if (rest.length && !shared(rest, counts, list.length, ctx) && !differ) placed(list)
    }
  }

  // distinct returns names with those that occur more than once replaced by long.
  const distinct = (names, long) => {
    const times = new Map()
    for (const name of names) times.set(name, (times.get(name) ?? 0) + 1)
    return names.map((name, i) => (name && times.get(name) > 1 ? long(i) : name))
  }

  // shared distinguishes several equal elements in one row by the row and by their position in it. It reports whether
  // there are such rows.
  const shared = (list, counts, all, ctx) => {
    if (list.length > maxShared) return false
    const rows = new Map()
    for (const n of list) {
      let p = ctx.up(n.el)
      while (p && !(counts.get(p) > 1 && textOf(p, n.el))) p = ctx.up(p)
      if (!p || counts.get(p) === all) continue
      const row = rows.get(p)
      if (row) row.push(n)
      else rows.set(p, [n])
    }
    for (const [p, row] of rows) {
      const place = (i) => (row.length > 1 ? ` ${i + 1} of ${row.length}` : '')
      row.forEach((n, i) => n.states.push(`in "${textOf(p, n.el)}"${place(i)}`))
    }
    return rows.size > 0
  }

  const passing = new Set(['focused', 'draggable', 'invisible'])

  // placed distinguishes elements that only differ by where they are: by line and position in it.
  const placed = (list) => {
    const differ = new Set(list.map((n) => n.value + n.states.filter((s) => !passing.has(s)).join()))
    if (list.length < 3 || list.length > maxPlaced || differ.size > 1) return
    const lines = []
    for (const n of list.toSorted((a, b) => a.box.y - b.box.y)) {
      const line = lines.at(-1)
      if (line && n.box.y < line[0].box.y + line[0].box.h / 2) line.push(n)
      else lines.push([n])
    }
    lines.forEach((line, row) => {
      const head = lines.length > 1 ? `row ${row + 1}, ` : ''
      line.sort((a, b) => a.box.x - b.box.x)
      line.forEach((n, i) => n.states.push(`at ${head}${i + 1} of ${line.length}`))
    })
  }

  // rowOf returns the text of the largest box that contains this element and no equal one; whole ignores its heading.
  const rowOf = (n, counts, ctx, whole = false) => {
    let row = null
    for (let p = ctx.up(n.el); p && counts.get(p) === 1; p = ctx.up(p)) row = p
    return row ? textOf(row, n.el, n.group, whole) : ''
  }

  const titles = 'h1,h2,h3,h4,h5,h6,[role=heading],legend,caption,figcaption,th[scope=row],[role=rowheader],dt,summary'
  const other = new Set(['button', 'select', 'textarea', 'input', 'script', 'style', 'svg', 'label'])

  // textOf returns a short text for a row: its heading or name, or else the beginning of its text without own. A box
  // that contains only many links, such as a menu, is described by group instead, the landmark that it is in.
  const textOf = (row, own, group = '', whole = false) => {
    const title = row.querySelector(titles)
    const named = whole ? '' : title && !title.contains(own) && S.shown(title) ? S.fold(title.textContent) : (row.getAttribute('aria-label') ?? '').trim()
    if (named) return short(named)
    let out = ''
    let links = 0
    let plain = false
    const go = (el, linked) => {
      for (let k = el.firstChild; k && out.length < 40; k = k.nextSibling) {
        if (k.nodeType === 3) {
          const t = S.fold(k.data).trim()
          if (!t) continue
          out += (out ? ' ' : '') + t
          if (linked) links++
          else plain = true
        } else if (k.nodeType === 1 && k !== own && !other.has(k.localName) && k.getAttribute('role') !== 'button' && S.shown(k)) go(k, linked || k.localName === 'a')
      }
    }
    go(row, false)
    return links > 2 && !plain && group ? group : short(out)
  }
  const short = (s) => (s.length > 40 ? s.slice(0, 39).trim() + '…' : s)
})()
