// Observes and acts on a page in Sextant's window: a panel, or the content of a panel's frame. There is no debugger,
// so the script runs in the page, is called by name and dispatches synthetic events. In the window, it acts only on
// elements that are marked as operable; a panel's frame belongs to the panel completely.
(() => {
  const S = globalThis.__sextant
  const framed = S.scope === document
  const instance = crypto.randomUUID?.() ?? String(Math.random()).slice(2)
  const err = (message) => {
    throw new Error(message)
  }
  const need = (h) => S.live(h) ?? err('gone')
  // during runs code whose events the page receives. The window replaces it, to distinguish the script's events from
  // the person's.
  S.during = (action) => action()

  // The content of data-private elements is only for the person: it is not read, listed or found by its number.
  const isPrivate = (el) => !framed && !!el.closest?.('[data-private]')
  const hasPrivate = (el) => isPrivate(el) || !!el.querySelector?.('[data-private]')
  if (!framed) {
    const { kids, live, shown, cover } = S
    S.kids = (el) => (isPrivate(el) ? [] : kids(el))
    S.live = (h) => {
      const el = live(h)
      return el && !isPrivate(el) ? el : null
    }
    S.shown = (el) => !isPrivate(el) && shown(el)
    S.cover = (top, el) => {
      const by = cover(top, el)
      return hasPrivate(by.el) ? { ...by, text: 'what is for the person only' } : by
    }
  }
  const hasText = (text) => {
    if (framed || !hasPrivate(S.scope)) return S.hasText(text)
    const all = S.texts(S.scope).map((t) => (t ? t.data : ' ')).join('')
    return S.fold(all).toLowerCase().includes(S.fold(text).toLowerCase())
  }
  // selection returns the selected text of the page, but not what the person selected elsewhere in the window.
  const selection = () => {
    if (framed) return S.selection()
    const f = document.activeElement
    if (f && S.isTextField(f) && (isPrivate(f) || !S.scope.contains(f)) && f.selectionStart !== f.selectionEnd) return ''
    const s = getSelection()
    for (let i = 0; i < s.rangeCount; i++) {
      const r = s.getRangeAt(i)
      const n = r.commonAncestorContainer
      const of = n.nodeType === 1 ? n : n.parentElement
      if (!r.collapsed && (!S.scope.contains(n) || isPrivate(of) || Array.from(of.querySelectorAll('[data-private]')).some((el) => r.intersectsNode(el)))) return ''
    }
    return S.selection()
  }

  // operable reports whether the assistant may act on el. The nearest mark decides; without a mark, it may not.
  const operable = (el) => {
    if (framed) return true
    const at = el.closest?.('[data-operable],[data-person-only]')
    return !!at && S.scope.contains(at) && !at.hasAttribute('data-person-only')
  }
  const mayTouch = (el) => {
    if (!operable(el)) err('only the person may use it')
    return el
  }
  const report = S.report
  S.report = (c, p, ctx) => {
    // Buttons that show or hide the marks are not part of the page.
    if (!framed && (c.el.hasAttribute?.('data-unnumbered') || isPrivate(c.el))) return null
    const n = report(c, p, ctx)
    if (n && !operable(c.el)) {
      n.usable = false
      n.states.push('only you')
    }
    return n
  }

  const clip = () => {
    if (framed) return null
    const r = S.scope.getBoundingClientRect()
    return { x: r.x, y: r.y, w: r.width, h: r.height }
  }
  const unheard = { mode: 'none', count: -1, indexes: [], drop: [], roots: false, last: true }
  const see = (o) => ({ text: S.look({ ...o, clip: clip() }, '', false, unheard, true), doc: instance })

  // last is the element that was acted on last. It gets the keys when nothing in the page has the focus.
  let last = null
  const focusIn = () => {
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    return f && f !== document.body && f !== S.scope && S.scope.contains(f) ? f : null
  }
  // busy reports whether the person is typing elsewhere in the window; the focus must then stay there.
  const busy = () => {
    const f = document.activeElement
    return !!f && !S.scope.contains(f) && (S.isTextField(f) || f.isContentEditable)
  }
  const focus = (el) => {
    last = el
    if (busy()) return
    for (let p = el; p && p !== S.scope; p = S.up(p)) {
      if (p.tabIndex >= 0 && !p.disabled) return p.focus({ preventScroll: true })
    }
  }

  const fire = (el, Kind, type, more) => el.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, composed: true, ...more }))
  // staying prevents links from leaving the window, which only a click of the person may do. The page still gets the
  // press.
  const staying = (action) => {
    const stay = (e) => {
      if (e.composedPath().some((n) => n.localName === 'a' && n.hasAttribute('href'))) e.preventDefault()
    }
    if (!framed) window.addEventListener('click', stay)
    try {
      return S.during(action)
    } finally {
      window.removeEventListener('click', stay)
    }
  }

  const buttons = { left: 0, middle: 1, right: 2 }
  const held = (names) => ({
    altKey: names.includes('Alt'), ctrlKey: names.includes('Control'), metaKey: names.includes('Meta'), shiftKey: names.includes('Shift'),
  })
  const under = (el, x, y) => {
    const top = S.deep(x, y)
    if (!top || !S.hits(el, top)) err('something came in the way of the press')
    return top
  }

  const press = (h, o) => {
    const el = mayTouch(need(h))
    const at = mayTouch(under(el, o.x, o.y))
    const button = buttons[o.button || 'left'] ?? err('unknown button')
    const where = { clientX: o.x, clientY: o.y, view: window, button, ...held(o.modifiers ?? []) }
    const pointer = { ...where, pointerId: 1, pointerType: 'mouse', isPrimary: true }
    staying(() => {
      fire(at, PointerEvent, 'pointerover', pointer)
      fire(at, MouseEvent, 'mouseover', where)
      fire(at, PointerEvent, 'pointermove', pointer)
      fire(at, MouseEvent, 'mousemove', where)
      for (let n = 1; n <= (o.count || 1); n++) {
        const d = { ...where, detail: n }
        fire(at, PointerEvent, 'pointerdown', { ...pointer, buttons: 1 << button })
        if (fire(at, MouseEvent, 'mousedown', { ...d, buttons: 1 << button })) focus(el)
        last = el
        fire(at, PointerEvent, 'pointerup', pointer)
        fire(at, MouseEvent, 'mouseup', d)
        if (!at.isConnected) return
        if (button === 0) fire(at, MouseEvent, 'click', d)
        else if (button === 2) fire(at, MouseEvent, 'contextmenu', d)
        else fire(at, MouseEvent, 'auxclick', d)
        if (button === 0 && n === 2) fire(at, MouseEvent, 'dblclick', d)
      }
    })
    return true
  }

  const hover = (h, o) => {
    const el = mayTouch(need(h))
    const at = under(el, o.x, o.y)
    const where = { clientX: o.x, clientY: o.y, view: window }
    S.during(() => {
      for (const type of ['pointerover', 'pointerenter', 'pointermove']) fire(at, PointerEvent, type, { ...where, pointerId: 1, pointerType: 'mouse', isPrimary: true })
      for (const type of ['mouseover', 'mouseenter', 'mousemove']) fire(at, MouseEvent, type, where)
    })
    return true
  }

  const fieldIn = (el) => (S.isTextField(el) || el.isContentEditable ? el : (el.querySelector?.('input:not([type=hidden]),textarea,[contenteditable=""],[contenteditable=true]') ?? el))
  // put writes into a plain field as typing does: with the field's own setter, and then events.
  const put = (el, value, data, kind = 'insertText') => {
    const room = el.maxLength >= 0 ? value.slice(0, Math.max(el.maxLength, 0)) : value
    if (!fire(el, InputEvent, 'beforeinput', { inputType: kind, data })) return
    const proto = el.localName === 'textarea' ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype
    Object.getOwnPropertyDescriptor(proto, 'value').set.call(el, room)
    fire(el, InputEvent, 'input', { inputType: kind, data, cancelable: false })
  }
  const fireChange = (el) => fire(el, Event, 'change', { cancelable: false })

  const rich = (el, text, clear) => {
    const before = document.activeElement
    el.focus({ preventScroll: true })
    const s = getSelection()
    s.selectAllChildren(el)
    if (!clear) s.collapseToEnd()
    const done = text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text)
    if (before && before !== el && !S.scope.contains(before)) before.focus({ preventScroll: true })
    if (!done) err('it did not take the text')
  }

  const type = (h, text, o) => {
    const el = fieldIn(mayTouch(need(h)))
    mayTouch(el)
    if (S.disabled(el)) err('it is disabled')
    if (el.readOnly) err('it is read-only')
    const plain = el.localName === 'input' || el.localName === 'textarea'
    if (plain && !S.isTextField(el)) {
      const set = S.during(() => S.fill(S.handle(el), text))
      if (!set.done) err(set.why || `it is a ${el.type} field: press it instead`)
      last = el
      return { now: el.value }
    }
    if (!plain && !el.isContentEditable) err('it takes no text')
    focus(el)
    S.during(() => {
      if (!plain) return rich(el, text, o.clear)
      if (!o.clear || el.value !== text) put(el, o.clear ? text : el.value + text, text, text === '' ? 'deleteContentBackward' : 'insertText')
      fireChange(el)
    })
    if (o.submit) key('Enter')
    return { now: S.secret(el) ? '' : (plain ? el.value : S.fold(el.innerText ?? '')).slice(0, 2000) }
  }

  const choose = (h, values) => {
    const el = mayTouch(need(h))
    return S.during(() => S.choose(S.handle(el), values))
  }

  const tabbable = () =>
    Array.from(S.body().querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex],[contenteditable]')).filter((el) => el.tabIndex >= 0 && !el.disabled && S.shown(el) && operable(el))

  const strokes = { Esc: 'Escape', Return: 'Enter', Space: ' ', Spacebar: ' ', Del: 'Delete', Up: 'ArrowUp', Down: 'ArrowDown', Left: 'ArrowLeft', Right: 'ArrowRight' }
  const parse = (combo) => {
    const parts = combo === '+' ? ['+'] : combo.split('+')
    const name = parts.pop() || '+'
    return { key: strokes[name] ?? name, mods: parts.filter(Boolean).map((m) => m[0].toUpperCase() + m.slice(1).toLowerCase()).map((m) => (m === 'Ctrl' ? 'Control' : m)) }
  }

  // key presses a key on the focused element, or on the one acted on last, and emulates the browser's default action.
  const key = (combo) => {
    const { key: k, mods } = parse(combo)
    const el = focusIn() ?? (last?.isConnected ? last : null)
    if (!el && !framed) err('nothing in the panel has the focus: press one of its elements first')
    const at = mayTouch(el ?? document.body)
    last = at
    S.during(() => {
      const init = { key: k, code: k.length === 1 && /[a-z]/i.test(k) ? 'Key' + k.toUpperCase() : k, ...held(mods) }
      const goes = fire(at, KeyboardEvent, 'keydown', init)
      if (goes && at.isConnected) itself(at, k, mods)
      if (at.isConnected) fire(at, KeyboardEvent, 'keyup', init)
    })
    return true
  }

  const itself = (el, k, mods) => {
    const plain = S.isTextField(el) && !el.readOnly && !el.disabled
    if (k === 'Tab') {
      const all = tabbable()
      const i = all.indexOf(el) + (mods.includes('Shift') ? -1 : 1)
      if (all.length) focus(all[(i + all.length) % all.length])
      return
    }
    if (mods.some((m) => m !== 'Shift')) {
      if (k.toLowerCase() === 'a' && plain) el.select()
      return
    }
    if (k === 'Enter' && el.localName === 'input' && el.form) {
      fireChange(el)
      const send = el.form.querySelector('button:not([type]),button[type=submit],input[type=submit]')
      if (send && operable(send) && !send.disabled) send.click()
      else if (!send && operable(el.form)) el.form.requestSubmit()
      return
    }
    if ((k === 'Enter' || k === ' ') && (/^(button|summary)$/.test(el.localName) || (k === ' ' && /^(checkbox|radio|button|submit)$/.test(el.type ?? '')) || (k === 'Enter' && el.localName === 'a'))) {
      staying(() => el.click())
      return
    }
    const text = k === 'Enter' && el.localName !== 'input' ? '\n' : k.length === 1 ? k : ''
    const cut = k === 'Backspace' || k === 'Delete'
    if (!text && !cut) return
    if (plain) {
      const from = el.selectionStart ?? el.value.length
      const to = el.selectionEnd ?? el.value.length
      const a = cut && from === to && k === 'Backspace' ? Math.max(from - 1, 0) : from
      const b = cut && from === to && k === 'Delete' ? to + 1 : to
      put(el, el.value.slice(0, a) + text + el.value.slice(b), text || null, cut ? 'deleteContentBackward' : 'insertText')
      if (el.selectionStart !== null) el.setSelectionRange(a + text.length, a + text.length)
    } else if (el.isContentEditable) document.execCommand(cut ? 'delete' : 'insertText', false, text)
  }

  // where returns the visible part of each element, null when there is none, so that the numbers drawn over the page
  // follow the elements. After a reload, all are null.
  const where = (doc, list) => {
    if (doc !== instance) return list.map(() => null)
    const ctx = S.scene({ clip: clip() }, { w: innerWidth, h: innerHeight })
    return list.map((h) => {
      const el = S.live(h)
      const p = el && S.place({ el }, ctx)
      if (!p || p.where !== 'in') return null
      const { x, y, w, h: height } = p.vis
      const top = S.deep(x + w / 2, y + height / 2)
      const seen = !top || S.hits(el, top) || S.within(el, top) || S.within(top, el)
      return seen ? [x, y, w, height].map((v) => Math.round(v * 10) / 10) : null
    })
  }

  // The HTML is sent in one message, truncated to this many characters.
  const maxText = 400_000
  const actions = {
    see, press, hover, type, choose, key, where,
    aim: (h, o) => (mayTouch(need(h)), S.aim(h, { ...o, clip: clip() })),
    scroll: (h, direction, amount) => S.scroll(h, direction, amount),
    awaitSettled: S.awaitSettled, still: S.still, hasText, html: () => S.html().slice(0, maxText), selection,
    selectText: S.selectText,
    shown: (list) => list.map((h) => !!S.live(h)?.checkVisibility({ visibilityProperty: true })),
    live: (list) => list.map((h) => S.live(h) !== null),
  }

  S.do = async (name, args) => {
    const action = Object.hasOwn(actions, name) ? actions[name] : null
    if (!action) return { e: `there is no ${String(name).slice(0, 40)}` }
    try {
      return { v: await action(...args) }
    } catch (e) {
      return { e: String(e?.message ?? e) }
    }
  }
})()
