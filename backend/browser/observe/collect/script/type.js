// Fills in fields: focuses them, selects their content, sets fields that cannot be typed into, and chooses options.
(() => {
  const S = globalThis.__sextant
  const err = (message) => {
    throw new Error(message)
  }
  const need = (h) => S.live(h) ?? err('gone')

  S.focusOn = (h) => {
    const el = need(h)
    if (S.focused(el)) return true
    el.focus({ preventScroll: true })
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    return f === el || (!!f && f !== document.body && S.within(f, el))
  }

  const fieldIn = (el) => {
    if (S.isTextField(el) || el.isContentEditable) return el
    return el.querySelector?.('input:not([type=hidden]),textarea,[contenteditable=""],[contenteditable=true]') ?? el
  }

  const textOf = (el) => (el.localName === 'input' || el.localName === 'textarea' ? el.value : (el.innerText ?? '').replace(/\u00a0/g, ' ').replace(/\n+$/, ''))

  let writing = null

  // selectAll also starts to watch the field for written.
  S.selectAll = async (h) => {
    const el = fieldIn(need(h))
    if (el.readOnly) return { editable: false, empty: !el.value, why: 'it is read-only' }
    const plain = el.localName === 'input' || el.localName === 'textarea'
    if (plain && !S.isTextField(el)) return { editable: false, empty: !el.value, why: `it is a ${el.type} field` }
    if (!plain && !el.isContentEditable) return { editable: false, empty: true, why: 'it takes no text' }
    if (plain) el.select()
    else {
      el.focus({ preventScroll: true })
      getSelection().selectAllChildren(el)
      // Editors with their own model learn of the selection through an event, one frame later.
      await new Promise((done) => {
        setTimeout(done, 60)
        requestAnimationFrame(() => setTimeout(done))
      })
    }
    const before = textOf(el)
    writing = { el, before, changes: S.rest().mutations, expanded: suggests(el), suggested: suggested(el) }
    return { editable: true, empty: plain ? before === '' : S.fold(before) === '', rich: !plain, lines: el.localName !== 'input', before }
  }

  const same = (a, b) => a === b || S.fold(a) === S.fold(b)

  // taken is false when neither the field nor the page has changed, although the field does not have the wanted text.
  S.written = (want) => {
    const w = writing
    if (!w || !w.el.isConnected) return { now: want, taken: true, gone: true }
    const now = textOf(w.el)
    const kept = now === w.before && !same(now, want)
    return { now: now.slice(0, 2000), taken: !(kept && S.rest().mutations === w.changes), exact: same(now, want) }
  }

  // asksForSuggestions reports whether the page says that it suggests values for a field; suggests, whether it shows
  // some now.
  const asksForSuggestions = (el) =>
    (el.localName === 'input' && el.getAttribute('role') === 'combobox') || /^(list|both)$/.test(el.getAttribute('aria-autocomplete') ?? '')
  const listOf = (el) => el.getRootNode().getElementById?.(el.getAttribute('aria-controls') ?? el.getAttribute('aria-owns'))
  const suggested = (el) => listOf(el)?.textContent.slice(0, 2000) ?? ''
  const suggests = (el) => {
    const list = listOf(el)
    return el.getAttribute('aria-expanded') === 'true' || (!!list && S.shown(list) && list.childElementCount > 0)
  }

  // awaitSuggestions waits until the page shows other suggestions than before the typing for a field that asks for
  // them, at most limit ms.
  S.awaitSuggestions = async (h, limit) => {
    const el = S.live(h)
    if (!el || !asksForSuggestions(el)) return false
    const old = writing?.el === el && writing.expanded ? writing.suggested : null
    const ready = () => suggests(el) && (old === null || suggested(el) !== old)
    for (const end = performance.now() + limit; !ready() && performance.now() < end; ) {
      await new Promise((done) => setTimeout(done, 20))
    }
    return ready()
  }

  const changed = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    el.dispatchEvent(new Event('change', { bubbles: true }))
  }

  S.fill = (h, value) => {
    const el = need(h)
    if (el.localName !== 'input' || !/^(date|time|datetime-local|month|week|color|range)$/.test(el.type)) return { done: false, value: '' }
    if (el.disabled || el.readOnly) return { done: false, value: el.value, why: 'it cannot be changed' }
    const before = el.value
    if (el.type === 'range' && !Number.isFinite(parseFloat(value))) return { done: false, value: before, why: `a slider takes a number from ${el.min || 0} to ${el.max || 100}` }
    el.focus({ preventScroll: true })
    el.value = el.type === 'range' ? parseFloat(value) : value
    if (el.type !== 'range' && value && el.value !== value && el.value !== value.toLowerCase()) {
      const form = { date: '2031-12-24', time: '18:30', 'datetime-local': '2031-12-24T18:30', month: '2031-12', week: '2031-W52', color: '#1e90ff' }[el.type]
      el.value = before
      return { done: false, value: before, why: `a ${el.type} field takes values such as ${form}` }
    }
    if (el.value !== before) changed(el)
    return { done: true, value: el.value }
  }

  const lower = (s) => S.fold(s).toLowerCase()

  S.choose = (h, values) => {
    let el = need(h)
    if (el.localName === 'option') el = el.closest('select') ?? el
    if (el.localName !== 'select') err('not a native list: click it, then click the option that appears')
    if (el.matches(':disabled')) err('the list is disabled')
    const opts = Array.from(el.options)
    const names = () => opts.filter((o) => !o.disabled).slice(0, 50).map((o) => `"${S.fold(o.label).slice(0, 60)}"`).join(', ') + (opts.length > 50 ? `, … ${opts.length - 50} more` : '')
    if (!el.multiple && values.length !== 1) err('the list takes one value')
    const words = (text) => lower(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean)
    const onlyWith = (v) => {
      const fits = opts.filter((o) => !o.disabled && words(v).length && words(v).every((w) => words(o.label).includes(w)))
      return fits.length === 1 ? fits[0] : undefined
    }
    const picked = values.map((v) => {
      const o = opts.find((x) => S.fold(x.label) === S.fold(v)) ?? opts.find((x) => x.value === v) ?? opts.find((x) => lower(x.label) === lower(v)) ?? onlyWith(v)
      if (!o) err(`no option "${v}"; there are ${names()}`)
      if (o.disabled || o.closest('optgroup')?.disabled) err(`the option "${S.fold(o.label)}" is disabled; there are ${names()}`)
      return o
    })
    el.focus({ preventScroll: true })
    const before = Array.from(el.selectedOptions)
    for (const o of opts) {
      const want = picked.includes(o)
      if (o.selected !== want && (want || el.multiple)) o.selected = want
    }
    const now = Array.from(el.selectedOptions)
    if (now.length !== before.length || now.some((o, i) => o !== before[i])) changed(el)
    return now.map((o) => S.fold(o.label))
  }
})()
