// Elements with the same name are distinguished by the row that contains them.
(() => {
  const S = globalThis.__sextant
  const most = 4000

  // rows adds the text of its row to each of several equal elements, as a state: in "Ana Lima".
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
      const words = list.map((n) => rowOf(n, counts, ctx))
      if (words.every((w) => !w)) shared(list, counts, ctx)
      if (new Set(words).size < 2) continue
      list.forEach((n, i) => words[i] && n.states.push(`in "${words[i]}"`))
    }
  }

  // shared distinguishes several equal elements in one row by the row and by their position in it.
  const shared = (list, counts, ctx) => {
    if (list.length > 500) return
    const rows = new Map()
    for (const n of list) {
      let p = ctx.up(n.el)
      while (p && !(counts.get(p) > 1 && textOf(p, n.el))) p = ctx.up(p)
      if (!p || counts.get(p) === list.length) return
      const row = rows.get(p)
      if (row) row.push(n)
      else rows.set(p, [n])
    }
    for (const [p, row] of rows) row.forEach((n, i) => n.states.push(`in "${textOf(p, n.el)}" ${i + 1} of ${row.length}`))
  }

  // rowOf returns the text of the largest box that contains this element and no equal one.
  const rowOf = (n, counts, ctx) => {
    let row = null
    for (let p = ctx.up(n.el); p && counts.get(p) === 1; p = ctx.up(p)) row = p
    return row ? textOf(row, n.el) : ''
  }

  const other = new Set(['button', 'select', 'textarea', 'input', 'script', 'style', 'svg', 'label'])
  const textOf = (row, own) => {
    let out = ''
    const go = (el) => {
      for (let k = el.firstChild; k && out.length < 40; k = k.nextSibling) {
        if (k.nodeType === 3) {
          const t = S.fold(k.data).trim()
          if (t) out += (out ? ' ' : '') + t
        } else if (k.nodeType === 1 && k !== own && !other.has(k.localName) && k.getAttribute('role') !== 'button' && S.shown(k)) go(k)
      }
    }
    go(row)
    return out.length > 40 ? out.slice(0, 39).trim() + '…' : out
  }
})()
