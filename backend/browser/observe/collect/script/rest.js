// Measures how quiet the document is. An observer records relevant changes, and which of them the page makes all the
// time.
(() => {
  const S = globalThis.__sextant
  const now = () => performance.now()
  let count = 0
  let last = now()
  const attributes = ['class', 'style', 'hidden', 'disabled', 'open', 'src', 'href', 'value', 'checked', 'selected', 'inert', 'aria-expanded', 'aria-hidden', 'aria-busy', 'aria-disabled', 'aria-selected', 'aria-sort', 'aria-checked', 'aria-pressed', 'aria-invalid', 'aria-label', 'role', 'tabindex', 'contenteditable', 'readonly']

  // A streak describes an element that changes repeatedly. log contains the newest changes, each with the streak that
  // it belongs to, if any.
  const pause = 400
  const many = 50
  const keep = 400
  const streaks = new WeakMap()
  let log = []
  // felt is the time of the last input. Changes that follow it start no streak.
  let felt = -1e9
  for (const type of ['pointerdown', 'pointerup', 'keydown', 'keyup', 'input']) {
    window.addEventListener(type, () => { felt = now() }, { capture: true, passive: true })
  }

  const seen = new WeakSet()
  const watch = (root) => {
    if (seen.has(root)) return
    seen.add(root)
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: attributes })
  }
  // births maps nodes to the time of their insertion, 0 for those that were there before.
  const births = new WeakMap()
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
    const ticking = new Set()
    const came = now()
    for (const m of list) {
      for (const r of m.removedNodes) if (r.nodeType === 1 && !births.has(r)) births.set(r, S.born(m.target))
      for (const a of m.addedNodes) if (a.nodeType === 1 && !births.has(a)) births.set(a, came)
      if (m.target.localName === 'head' || m.target.parentNode?.localName === 'head') continue
      n++
      if (ticking.size <= many) ticking.add(holderOf(m))
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
    for (const el of ticking) if (el && isShort(el)) tick(el, last)
    // Of many simultaneous changes, only one entry with the newest streak is recorded.
    if (touched.size > many) log.push({ t: last, streak: belong.reduce((a, b) => (!a || !b ? null : a.since > b.since ? a : b)) })
    else for (const streak of belong) log.push({ t: last, streak })
    if (log.length > keep) log = log.slice(-keep / 2)
  })
  const goesOn = (streak, t) => !!streak && t - streak.last <= pause
  const streakOf = (el, t) => {
    let streak = streaks.get(el)
    if (!goesOn(streak, t)) {
      streak = around(el, t) ?? among(el, t)
      if (!streak && t - felt > 100) streaks.set(el, (streak = { since: t, last: t }))
    }
    if (streak) streak.last = t
    return streak
  }
  // around returns the streak of a close ancestor of el that was active when el was inserted.
  const around = (el, t) => {
    const born = S.born(el)
    for (let p = el.parentNode, n = 0; born && p && n < 4; p = p.parentNode, n++) {
      const streak = streaks.get(p)
      if (goesOn(streak, t) && streak.since <= born) return streak
    }
    return null
  }
  // among returns the streak of a box whose children, all of one kind, change in turns, such as indicator lights.
  const turns = new WeakMap()
  const among = (el, t) => {
    const box = el.parentNode
    if (!box) return null
    const kind = `${el.localName} ${el.getAttribute?.('class')}`
    const turn = turns.get(box)
    if (!goesOn(turn, t)) {
      if (t - felt > 100) turns.set(box, { since: t, last: t, kind, newest: el, count: 1 })
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

  // ticks maps elements to {times, since}: the times of their newest changes, at most four, and since when they change at
  // regular intervals, 0 if they do not. Changes just after an input do not count.
  const ticks = new WeakMap()
  let tickers = new Set()
  const tick = (el, t) => {
    let own = ticks.get(el)
    if (!own) ticks.set(el, (own = { times: [], since: 0 }))
    if (t - felt <= 100) return void (own.times = [])
    own.times.push(t)
    if (own.times.length < 4) return
    own.times = own.times.slice(-4)
    const gaps = own.times.slice(1).map((at, i) => at - own.times[i])
    if (Math.max(...gaps) > 1.5 * Math.min(...gaps) + 20) own.since = 0
    else own.since ||= t
    if (own.since && tickers.size < many) tickers.add(el)
  }

  // holderOf returns the element whose children or text a mutation changed, null for another mutation. isShort reports
  // whether that element holds only a short text.
  const maxTicking = 80
  const holderOf = (m) => (m.type === 'characterData' ? m.target.parentElement : m.addedNodes.length && m.target.nodeType === 1 ? m.target : null)
  const isShort = (el) => el.childElementCount <= 3 && el.textContent.length <= maxTicking

  // restless returns the elements whose text the page was changing at regular intervals before the last since ms, such
  // as a clock.
  S.restless = (since) => {
    const start = now() - since
    tickers = new Set(Array.from(tickers).filter((el) => el.isConnected && ticks.get(el).since))
    return Array.from(tickers).filter((el) => ticks.get(el).since < start)
  }

  // ends reports whether an animation or transition is running and will end soon.
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

  // drawn resolves when the page has drawn one frame and run the tasks that were due then, or after 100 ms when it
  // draws none.
  const drawn = () =>
    new Promise((done) => {
      const late = setTimeout(done, 100)
      requestAnimationFrame(() => setTimeout(() => {
        clearTimeout(late)
        done()
      }))
    })

  // changes summarizes the changes since start that do not belong to an earlier streak: their number, the time since
  // the last one, and the number of finite animations that have begun.
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

  // awaitSettled waits, at most limit ms, until the changes of the last since ms have ended. The page must be quiet
  // for once ms after a single change, and for several ms after more than one. With draw, it first lets the page
  // draw.
  S.awaitSettled = async (since, draw, once, several, limit) => {
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
