// Finds the text that has appeared or changed since the last call.
(() => {
  const S = globalThis.__sextant
  const liveRegions = '[role=alert],[role=status],[role=log],[aria-live]:not([aria-live=off]),output'
  const maxElements = 150_000
  const maxLines = 24
  const hasWord = /[\p{L}\p{N}]/u

  const linesOf = (el) => (el.innerText ?? '').split(/[\n\t]+/).map(S.fold).filter((l) => hasWord.test(l))

  // read returns how often each line is shown, in the order of the document. innerText is the fastest way to read what
  // is visible; it leaves out shadow roots.
  const read = () => {
    const times = new Map()
    const body = S.body()
    const blocks = body ? [body] : []
    for (const root of S.watchedRoots()) blocks.push(...root.children)
    for (const b of blocks) for (const l of linesOf(b)) times.set(l, (times.get(l) ?? 0) + 1)
    return times
  }

  // around returns the lines of the block that contains el, as far as they contain its text.
  const around = (el) => {
    const text = S.fold(el.innerText ?? '')
    let block = el
    while (block.parentElement && /^(inline|contents)/.test(getComputedStyle(block).display)) block = block.parentElement
    return block === el ? linesOf(el) : linesOf(block).filter((l) => l.includes(text))
  }

  let known = null

  // newText returns the lines that were not shown at the last call, those of live regions first, and how many more
  // there are. It leaves out lines that the page was already changing all the time before the last since ms. It returns
  // null at the first call in a document.
  S.newText = (since) => {
    if (S.scope.getElementsByTagName('*').length > maxElements) return null
    const before = known
    known = read()
    if (!before) return null
    let lines = []
    for (const [l, n] of known) if (n > (before.get(l) ?? 0)) lines.push(l)
    if (!lines.length) return null
    const ticking = new Set(S.restless(since).flatMap(around))
    lines = lines.filter((l) => !ticking.has(l))
    const live = new Set(Array.from(document.querySelectorAll(liveRegions)).slice(0, 50).flatMap(linesOf))
    const sorted = [...lines.filter((l) => live.has(l)), ...lines.filter((l) => !live.has(l))]
    return { lines: sorted.slice(0, maxLines).map((l) => l.slice(0, 300)), more: Math.max(sorted.length - maxLines, 0) }
  }
})()
