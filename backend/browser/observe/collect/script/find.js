// Finds the candidates for a look with native queries, so that a large page with few operable elements is fast.
(() => {
  const S = globalThis.__sextant

  const tags = ['a', 'area', 'button', 'input', 'select', 'textarea', 'summary', 'label', 'video', 'audio', 'canvas', 'iframe', 'frame', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']
  const marks = '[role],[tabindex],[contenteditable],[onclick],[onmousedown],[onpointerdown],[ondblclick]'
  const any = tags.join(',') + ',' + marks + ',' + S.carried

  // The hosts for whose closed roots we have asked; each is asked for once.
  const asked = new WeakSet()
  const hollow = 'article,aside,blockquote,div,footer,header,main,nav,p,section,span'.split(',').map((t) => t + ':empty').join(',')

  // ground returns all elements as S.all does, the roots and hosts of shadow roots including closed ones, and the
  // handles of elements that may have an unknown closed root. enough true omits the latter; 'peek' lists them without
  // marking them as asked for.
  S.ground = (enough) => {
    const roots = [S.scope]
    const all = []
    const hosts = new Set()
    const suspects = []
    const suspect = (el) => {
      if (enough === true || asked.has(el) || suspects.length >= 40 || S.rootOf(el)) return
      const r = el.getBoundingClientRect()
      if (r.width < 1 || r.height < 1 || (el.localName.includes('-') && !el.matches(':defined'))) return
      if (!enough) asked.add(el)
      suspects.push(S.handle(el))
    }
    // The content of a closed root is not in all, because the page's main world does not see it.
    const add = (host) => {
      const root = S.rootOf(host)
      if (!root || hosts.has(host)) return
      hosts.add(host)
      roots.push(root)
      for (const el of root.querySelectorAll('*')) {
        if (el.localName.includes('-')) suspect(el)
        add(el)
      }
      for (const el of root.querySelectorAll(hollow)) suspect(el)
    }
    for (let r = 0; r < roots.length; r++) {
      const list = roots[r].querySelectorAll('*')
      for (let i = 0, n = list.length; i < n; i++) {
        const el = list[i]
        all.push(el)
        if (el.shadowRoot) {
          roots.push(el.shadowRoot)
          hosts.add(el)
        }
      }
    }
    // Checking every element of a large document is expensive, so it is done only when their number changes.
    const large = all.length > 8000
    if (!large || all.length !== counted) for (const el of all) if (el.localName.includes('-')) suspect(el)
    if (!enough && suspects.length < 40) counted = all.length
    if (!large) for (const r of roots) for (const el of r.querySelectorAll(hollow)) suspect(el)
    for (const host of S.closedHosts()) add(host)
    return { all, roots, hosts, suspects }
  }
  let counted = 0

  // The listening nodes are passed in by backend id; the element of an id is resolved once.
  let heardLast = ''
  let heard = new Map()
  let bulk = 0
  let bulked = new Set()
  let delegating = false

  const place = (el) => {
    if (el.nodeType !== 1 || el.localName === 'html' || el.localName === 'body' || el.firstElementChild) delegating = true
  }

  S.learn = (ids, elements) => {
    elements.forEach((el, i) => {
      heard.set(ids[i], el && el.nodeType === 1 ? new WeakRef(el) : null)
      if (el) place(el)
    })
  }

  // hear returns the question to ask before the listeners in ids are known: 'resolve:…', 'search', 'scan' or '' for
  // none. found is the answer to search or scan.
  S.hear = (ids, roots, found, ground) => {
    if (roots) delegating = true
    if (found?.mode === 'search') {
      if (found.count === ground.all.length || found.last) {
        heard = new Map(ids ? ids.split(',').map((id) => [id, undefined]) : [])
        bulked = new Set(found.count === ground.all.length ? found.indexes.map((i) => ground.all[i]) : [])
        bulk = heard.size
        heardLast = ids
        delegating ||= found.roots
      }
    }
    if (ids !== heardLast) {
      const now = ids ? ids.split(',') : []
      const fresh = now.filter((id) => !heard.has(id))
      if (fresh.length > 24) return 'search'
      if (fresh.length) return 'resolve:' + fresh.join(',')
      const here = new Set(now)
      let bulkNow = 0
      for (const [id, ref] of heard) {
        if (!here.has(id)) heard.delete(id)
        else if (ref === undefined) bulkNow++
      }
      // Elements found by a search are not matched to their ids. When a listener was removed from a live element, the
      // search must be repeated.
      if (bulkNow < bulk) {
        for (const el of bulked) if (!el.isConnected) bulked.delete(el)
        if (bulked.size > bulkNow) return 'search'
        bulk = bulkNow
      }
      heardLast = ids
    }
    if (delegating && found === null) return 'scan'
    return ''
  }

  // A press on a drawing may be handled by a box around it, which is known, or above the whole document, which is
  // asked for when there are drawings.
  let above = { drag: false, click: false }
  S.hearAbove = (found) => { above = { drag: found.roots, click: found.count > 0 } }
  S.asksAbove = (ground) => !above.drag && ground.roots.some((r) => Array.prototype.some.call(r.querySelectorAll('canvas'), (el) => board(el) > 0))
  const board = (el) => {
    const r = el.getBoundingClientRect()
    return r.width >= 40 && r.height >= 40 ? r.width * r.height : 0
  }
  // drawnOn reports whether el is a drawing whose presses are handled outside of it.
  S.drawnOn = (el, clicks) => {
    if (el.localName !== 'canvas') return false
    const size = board(el)
    if (!size) return false
    const v = S.viewport()
    if (above.drag || (above.click && size > 0.3 * v.w * v.h)) return true
    return !!S.closest(S.up(el), (p) => clicks.has(p) && p !== document.body && p !== document.documentElement)
  }

  S.clicks = (found, ground) => {
    const out = new Set(bulked)
    for (const ref of heard.values()) {
      const el = ref?.deref()
      if (el) out.add(el)
    }
    if (found?.mode === 'scan' && found.count === ground.all.length) {
      for (const i of found.indexes) out.add(ground.all[i])
      for (const i of found.drop) out.delete(ground.all[i])
    }
    return out
  }

  S.candidates = (ground, clicks) => {
    const set = new Set(clicks)
    for (const root of ground.roots) {
      if (root === S.scope) {
        for (const t of tags) {
          const list = root.getElementsByTagName(t)
          for (let i = 0, n = list.length; i < n; i++) set.add(list[i])
        }
        for (const el of root.querySelectorAll(marks + ',' + S.carried)) set.add(el)
      } else {
        for (const el of root.querySelectorAll(any)) set.add(el)
      }
    }
    for (const el of S.scope.getElementsByTagName('select')) if (el.multiple || el.size > 1) for (const o of el.options) set.add(o)
    if (document.designMode === 'on' && document.body) set.add(document.body)
    const pointers = S.pointers(ground)
    for (const el of pointers) set.add(el)
    return { list: set.size ? order(ground, set) : [], pointers }
  }

  const order = (ground, set) => {
    const out = []
    const { all, hosts } = ground
    if (!hosts.size) {
      for (const el of all) if (set.has(el)) out.push(el)
      return out
    }
    const flat = (el) => {
      if (set.has(el)) out.push(el)
      if (hosts.has(el) || el.localName === 'slot') {
        for (const k of S.kids(el)) if (k.nodeType === 1) flat(k)
      } else {
        for (let k = el.firstElementChild; k; k = k.nextElementSibling) flat(k)
      }
    }
    const list = S.scope.querySelectorAll('*')
    for (let i = 0; i < list.length; i++) {
      const el = list[i]
      if (hosts.has(el)) {
        flat(el)
        i += el.getElementsByTagName('*').length
      } else if (set.has(el)) out.push(el)
    }
    return out
  }
})()
