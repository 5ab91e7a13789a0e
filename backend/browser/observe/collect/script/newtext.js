// Finds the text that has appeared or changed since the last call.
(() => {
  const S = globalThis.__sextant
  const liveRegions = '[role=alert],[role=status],[role=log],[aria-live]:not([aria-live=off]),output'
  const maxElements = 150_000
  const maxText = 2_000_000
  const maxLines = 24
  const hasWord = /[\p{L}\p{N}]/u

  const linesOf = (text) => text.split(/[\n\t]+/).map(S.fold).filter((l) => hasWord.test(l))

  // shownText returns the visible text of an element. innerText is the fastest way to read it, but returns the markup's
  // text of an element that is not drawn.
  const shownText = (el) => (S.rendered(el) && !/^(style|script|template)$/.test(el.localName) ? (el.innerText ?? '') : '')

  // rootsOf returns the shadow roots of the document, whose text is not in that of their hosts.
  const rootsOf = (all) => [...all.flatMap((el) => el.shadowRoot ?? []), ...S.closedHosts().map(S.rootOf)]

  // read returns how often each line is shown, in the order of the document, and the roots. It returns null for a
  // document that is too large.
  const read = () => {
    const all = S.all()
    const body = S.body()
    if (all.length > maxElements || !body) return null
    const roots = rootsOf(all)
    const texts = [shownText(body)]
    for (const root of roots) {
      if (!S.rendered(root.host)) continue
      for (const n of root.childNodes) texts.push(n.nodeType === 1 ? shownText(n) : n.nodeType === 3 ? n.data : '')
    }
    if (texts.reduce((sum, t) => sum + t.length, 0) > maxText) return null
    const times = new Map()
    for (const l of texts.flatMap(linesOf)) times.set(l, (times.get(l) ?? 0) + 1)
    return { times, roots }
  }

  // around returns the lines of the block that contains el, as far as they contain its text. An element with more than
  // a few lines is no clock.
  const around = (el) => {
    const own = linesOf(shownText(el))
    if (!own.length || own.length > 3) return []
    let block = el
    while (block.parentElement && /^(inline|contents)/.test(getComputedStyle(block).display)) block = block.parentElement
    return block === el ? own : linesOf(shownText(block)).filter((l) => l.includes(own[0]))
  }

  let known = null
  let tooLarge = false

  // newText returns the lines that were not shown at the last call, those of live regions first, and how many more
  // there are. It leaves out lines that the page was already changing all the time before the last since ms. It returns
  // null at the first call in a document.
  S.newText = (since) => {
    if (tooLarge) return null
    const before = known
    const now = read()
    tooLarge = !now
    known = now?.times ?? null
    if (!before || !now) return null
    let lines = []
    for (const [l, n] of known) if (n > (before.get(l) ?? 0)) lines.push(l)
    if (!lines.length) return null
    const ticking = new Set(S.restless(since).flatMap(around))
    lines = lines.filter((l) => !ticking.has(l))
    const regions = [S.scope, ...now.roots].flatMap((root) => Array.from(root.querySelectorAll(liveRegions))).slice(0, 50)
    const live = new Set(regions.flatMap((el) => linesOf(shownText(el))))
    const sorted = [...lines.filter((l) => live.has(l)), ...lines.filter((l) => !live.has(l))]
    return { lines: sorted.slice(0, maxLines).map((l) => l.slice(0, 300)), more: Math.max(sorted.length - maxLines, 0) }
  }
})()
