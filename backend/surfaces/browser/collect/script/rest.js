// How quiet the document is: an observer of our own world counts changes that can matter.
(() => {
  const S = globalThis.__sextant
  let count = 0
  let last = performance.now()
  const attributes = ['class', 'style', 'hidden', 'disabled', 'open', 'src', 'href', 'value', 'checked', 'selected', 'inert', 'aria-expanded', 'aria-hidden', 'aria-busy', 'aria-disabled', 'aria-selected', 'aria-checked', 'aria-pressed', 'aria-invalid', 'aria-label', 'role', 'tabindex', 'contenteditable', 'readonly']

  const seen = new WeakSet()
  const watch = (root) => {
    if (seen.has(root)) return
    seen.add(root)
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: attributes })
  }
  const observer = new MutationObserver((list) => {
    let n = 0
    for (const m of list) {
      if (m.target.localName === 'head' || m.target.parentNode?.localName === 'head') continue
      n++
      for (const a of m.addedNodes) {
        if (a.nodeType !== 1) continue
        if (a.shadowRoot) watch(a.shadowRoot)
      }
    }
    if (!n) return
    count += n
    last = performance.now()
  })
  watch(document)

  S.watchRoots = () => {
    for (const el of S.all()) if (el.shadowRoot) watch(el.shadowRoot)
  }
  S.quiet = () => performance.now() - last

  // ends: a running animation or transition that ends by itself, soon.
  S.ends = (a) => {
    if (a.playState !== 'running' || !(a.timeline instanceof DocumentTimeline)) return false
    const t = a.effect?.getComputedTiming()
    return !!t && Number.isFinite(t.endTime) && t.endTime - (t.localTime ?? 0) < 5000
  }

  S.rest = () => ({
    mutations: count,
    quietMs: S.quiet(),
    animations: document.getAnimations().filter(S.ends).length,
    ready: document.readyState,
  })
  S.watchRoots()
})()
