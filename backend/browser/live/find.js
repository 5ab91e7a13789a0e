// Finds a text in the visible content of the document and its fields, ignoring case. show, when not -1, is the index of the match to
// scroll to. Returns how many matches there are, the boxes of those in view, and the box of the shown one.
(query, show) => {
  const MATCHES_MAX = 1000
  const BOXES_MAX = 500
  const parts = []
  const starts = []
  let length = 0
  const add = (text, node) => { parts.push(text); starts.push({ at: length, node }); length += text.length }
  let block = null
  const blockOf = (el) => {
    while (el.parentElement && /^(inline|contents|none)$/.test(getComputedStyle(el).display)) el = el.parentElement
    return el
  }
  const FIELDS = /^(text|search|url|tel|email|number|textarea)$/
  const addField = (el) => {
    if (!FIELDS.test(el.type) || !el.value || getComputedStyle(el).webkitTextSecurity !== 'none') return
    add('\u0000', null)
    add(el.value, el)
    add('\u0000', null)
  }
  const walk = (root) => {
    for (let n = root.firstChild; n; n = n.nextSibling) {
      if (n.nodeType === Node.TEXT_NODE) {
        const parent = n.parentElement ?? root.host
        if (!n.data.trim() || !parent) { if (n.data) add(n.data, n); continue }
        if (blockOf(parent) !== block) { block = blockOf(parent); add('\u0000', null) }
        add(n.data, n)
      } else if (n instanceof Element && !/^(script|style|noscript|template|select)$/.test(n.localName)) {
        if (!n.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }) && getComputedStyle(n).display !== 'contents') continue
        if (n.localName === 'input' || n.localName === 'textarea') addField(n)
        else if (n.shadowRoot) walk(n.shadowRoot)
        else if (n.localName === 'slot' && n.assignedNodes().length) {
          for (const own of n.assignedElements()) walk(own)
        } else walk(n)
      }
    }
  }
  walk(document.body ?? document.documentElement)
  const literal = query.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+')
  const text = parts.join('')
  const nodeAt = (at) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle].at <= at) low = middle
      else high = middle - 1
    }
    return starts[low]
  }
  const ranges = []
  for (const match of text.matchAll(new RegExp(literal, 'giu'))) {
    if (ranges.length === MATCHES_MAX) break
    const [first, last] = [nodeAt(match.index), nodeAt(match.index + match[0].length - 1)]
    if (!first.node || !last.node) continue
    if (first.node instanceof Element) { // a match in a field is shown as the field
      ranges.push(first.node)
      continue
    }
    const range = document.createRange()
    range.setStart(first.node, match.index - first.at)
    range.setEnd(last.node, match.index + match[0].length - last.at)
    ranges.push(range)
  }
  const inView = (r) => r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth
  const current = ranges[show]
  if (current && !inView(current.getBoundingClientRect())) {
    (current.startContainer ? current.startContainer.parentElement ?? document.body : current).scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
  }
  const boxes = []
  let near = -1
  ranges.forEach((range, i) => {
    for (const r of range.getClientRects()) {
      if (near < 0 && r.bottom > 0 && r.width > 0) near = i
      if (inView(r) && boxes.length < BOXES_MAX) boxes.push({ x: r.x, y: r.y, width: r.width, height: r.height, match: i })
    }
  })
  const at = current?.getBoundingClientRect()
  return { count: ranges.length, near, boxes, at: at && { x: at.x, y: at.y, width: at.width, height: at.height } }
}
