// Measures how busy the document is: an observer in our own world records relevant changes, and which of them
// the page makes continuously.
(() => {
  const S = globalThis.__sextant
  const now = () => performance.now()
  let count = 0
  let last = now()
  const attributes = ['class', 'style', 'hidden', 'disabled', 'open', 'src', 'href', 'value', 'checked', 'selected', 'inert', 'aria-expanded', 'aria-hidden', 'aria-busy', 'aria-disabled', 'aria-selected', 'aria-sort', 'aria-checked', 'aria-pressed', 'aria-invalid', 'aria-label', 'role', 'tabindex', 'contenteditable', 'readonly']

  // A streak is an element that changes continuously. log has the newest changes, each with its streak, if
  // any.
  const pause = 400
  const many = 50
  const logMax = 400
  const streaks = new WeakMap()
  let log = []
  // lastInput is the time of the last input event; what it causes starts no streak.
  let lastInput = -1e9
  for (const type of ['pointerdown', 'pointerup', 'keydown', 'keyup', 'input']) {
    window.addEventListener(type, () => { lastInput = now() }, { capture: true, passive: true })
  }

  const seen = new WeakSet()
  const watch = (root) => {
    if (seen.has(root)) return
    seen.add(root)
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: attributes })
  }
  // births is when a node was added to the document, 0 for one that was there before.
  const births = new WeakMap()
  // born is the time when el, or the ancestor it was added with, was added.
  S.born = (el) => {
    for (let p = el; p; p = p.parentNode ?? p.host) {
      const t = births.get(p)
      if (t !== undefined) return t
    }
    return 0
  }
  const observer = new MutationObserver((list) => {
    let n = 0
    const touched = new Set()
    const came = now()
    for (const m of list) {
      for (const r of m.removedNodes) if (r.nodeType === 1 && !births.has(r)) births.set(r, S.born(m.target))
      for (const a of m.addedNodes) if (a.nodeType === 1 && !births.has(a)) births.set(a, came)
      if (m.target.localName === 'head' || m.target.parentNode?.localName === 'head') continue
      n++
      if (touched.size <= many) touched.add(m.type === 'characterData' ? (m.target.parentNode ?? m.target) : m.target)
      for (const a of m.addedNodes) {
        if (a.nodeType !== 1) continue
        if (a.shadowRoot) watch(a.shadowRoot)
      }
    }
    if (!n) return
    count += n
    last = now()
    const belong = Array.from(touched, (el) => streakOf(el, last))
    // Of very many changes only the newest is recorded.
    if (touched.size > many) log.push({ t: last, streak: belong.reduce((a, b) => (!a || !b ? null : a.since > b.since ? a : b)) })
    else for (const streak of belong) log.push({ t: last, streak })
    if (log.length > logMax) log = log.slice(-logMax / 2)
  })
  const goesOn = (streak, t) => !!streak && t - streak.last <= pause
  const streakOf = (el, t) => {
    let streak = streaks.get(el)
    if (!goesOn(streak, t)) {
      streak = around(el, t) ?? among(el, t)
      if (!streak && t - lastInput > 100) streaks.set(el, (streak = { since: t, last: t }))
    }
    if (streak) streak.last = t
    return streak
  }
  // around is the streak of an ancestor, a few levels up, that was running when el was added.
  const around = (el, t) => {
    const born = S.born(el)
    for (let p = el.parentNode, n = 0; born && p && n < 4; p = p.parentNode, n++) {
      const streak = streaks.get(p)
      if (goesOn(streak, t) && streak.since <= born) return streak
    }
    return null
  }
  // among is the streak of a box whose similar children change in turns, as indicator lamps do.
  const turns = new WeakMap()
  const among = (el, t) => {
    const box = el.parentNode
    if (!box) return null
    const kind = `${el.localName} ${el.getAttribute?.('class')}`
    const turn = turns.get(box)
    if (!goesOn(turn, t)) {
      if (t - lastInput > 100) turns.set(box, { since: t, last: t, kind, newest: el, count: 1 })
      return null
    }
    if (turn.kind !== kind) return null
    turn.last = t
    if (turn.newest !== el) turn.count++
    turn.newest = el
    return turn.count > 3 ? turn : null
  }
  watch(S.scope)

  S.watchRoots = (roots) => {
    if (roots) for (const r of roots) watch(r)
    else for (const el of S.all()) if (el.shadowRoot) watch(el.shadowRoot)
  }
  S.quiet = () => now() - last

  // ends reports whether a running animation or transition ends soon.
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

  // drawn resolves after the next frame and the tasks due then, or after 100 ms on a page that does not draw.
  const drawn = () =>
    new Promise((done) => {
      const late = setTimeout(done, 100)
      requestAnimationFrame(() => setTimeout(() => {
        clearTimeout(late)
        done()
      }))
    })

  // changes summarizes the changes since start, without streaks that began before: how many, when the last
  // was, and how many finite animations have begun.
  const changes = (start) => {
    let times = 0
    let at = 0
    for (const c of log) {
      if (c.t < start || c.streak?.since < start - 250) continue
      if (c.t - at > 4) times++
      at = c.t
    }
    const animations = document.getAnimations().filter((a) => S.ends(a) && (a.startTime === null || a.startTime >= start)).length
    return { mutations: times, quietMs: times ? now() - at : 1e6, animations, ready: document.readyState }
  }

  // calm waits until the page has settled, limit milliseconds at most. It considers changes of the last since
  // milliseconds and needs a quiet time of once after one change, of several after more. With draw it waits
  // for a frame first.
  S.calm = async (since, draw, once, several, limit) => {
    const start = now() - since
    const end = now() + limit
    if (draw) await drawn()
    for (;;) {
      const c = changes(start)
      const wait = c.mutations ? (c.mutations > 1 ? several : once) - c.quietMs : 0
      if (wait <= 0 || now() >= end) return { ...c, over: wait <= 0 }
      await new Promise((done) => setTimeout(done, Math.min(wait, Math.max(end - now(), 1))))
    }
  }
  S.watchRoots()
})()
