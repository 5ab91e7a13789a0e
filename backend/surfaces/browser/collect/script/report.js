// One listed thing in words: role, name, value, states, what covers it, where it belongs.
(() => {
  const S = globalThis.__sextant
  const bullets = (s) => '•'.repeat(Math.min(Array.from(s).length, 64))

  S.value = (el, role) => {
    const tag = el.localName
    if (tag === 'input') {
      switch (el.type) {
        case 'checkbox': case 'radio': case 'button': case 'submit': case 'reset': case 'image':
          return ''
        case 'password':
          return bullets(el.value)
        case 'file':
          return Array.from(el.files ?? [], (f) => f.name).join(', ')
        case 'range':
          return `${el.value} (${el.min || 0}–${el.max || 100})`
      }
      if (masked(el)) return bullets(el.value)
      return el.value.slice(0, 500)
    }
    if (tag === 'textarea') return el.value.slice(0, 500)
    if (tag === 'select') return Array.from(el.selectedOptions, (o) => S.fold(o.label)).join(', ')
    if (tag === 'video' || tag === 'audio') return el.paused ? 'paused' : 'playing'
    const now = el.getAttribute('aria-valuetext') ?? el.getAttribute('aria-valuenow')
    if (now !== null && ['slider', 'spinbutton', 'scrollbar', 'separator', 'progressbar', 'meter'].includes(role)) {
      const lo = el.getAttribute('aria-valuemin')
      const hi = el.getAttribute('aria-valuemax')
      return lo !== null && hi !== null ? `${now} (${lo}–${hi})` : now
    }
    if (role === 'textbox' || role === 'searchbox') return S.fold(el.innerText ?? '').slice(0, 500)
    if (role === 'combobox') {
      const field = el.querySelector('input')
      return field ? field.value : S.fold(el.innerText ?? '').slice(0, 200)
    }
    return ''
  }

  // masked: a text field drawn as dots, as some pages do instead of type=password.
  const masked = (el) => getComputedStyle(el).webkitTextSecurity !== 'none' || /\b(cc-number|cc-csc|current-password|new-password|one-time-code)\b/.test(el.getAttribute('autocomplete') ?? '') && el.type === 'password'

  const secret = (el) => (el.localName === 'input' && (el.type === 'password' || masked(el))) || (el.localName === 'textarea' && getComputedStyle(el).webkitTextSecurity !== 'none')

  const tri = (v, yes, no, mixed) => (v === 'true' ? yes : v === 'mixed' ? mixed : v === 'false' ? no : null)

  S.states = (el, role) => {
    const out = []
    const add = (s) => s && out.push(s)
    const a = (n) => el.getAttribute(n)
    const type = el.localName === 'input' ? el.type : ''
    if (el.required || a('aria-required') === 'true') add('required')
    if (S.disabled(el)) add('disabled')
    if (type === 'checkbox' || type === 'radio') add(el.indeterminate ? 'mixed' : el.checked ? 'checked' : 'unchecked')
    else if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) add(tri(a('aria-checked'), 'checked', 'unchecked', 'mixed') ?? 'unchecked')
    else if (a('aria-checked') !== null) add(tri(a('aria-checked'), 'checked', 'unchecked', 'mixed'))
    if (el.localName === 'summary') add(el.parentElement.open ? 'expanded' : 'collapsed')
    else add(tri(a('aria-expanded'), 'expanded', 'collapsed'))
    if (el.localName === 'option' ? el.selected : a('aria-selected') === 'true') add('selected')
    add(tri(a('aria-pressed'), 'pressed', null, 'mixed'))
    const cur = a('aria-current')
    if (cur && cur !== 'false') add('current')
    const inv = a('aria-invalid')
    if ((inv && inv !== 'false') || (el.willValidate && el.matches(':user-invalid'))) add('invalid')
    if ((el.readOnly && (S.isTextField(el) || type)) || a('aria-readonly') === 'true') add('readonly')
    if (S.focused(el)) add('focused')
    if (el.localName === 'textarea' || a('aria-multiline') === 'true' || (role === 'textbox' && el.isContentEditable)) add('multiline')
    return out
  }

  S.focused = (el) => {
    let f = document.activeElement
    while (f?.shadowRoot?.activeElement) f = f.shadowRoot.activeElement
    return f === el && f !== document.body
  }

  const stable = ['name', 'type', 'href', 'data-testid', 'data-test', 'data-id', 'data-cy', 'for', 'value']
  const key = (el, role, name, area) => {
    const parts = [role, name, el.localName, el.id]
    for (const s of stable) {
      if (s === 'value' && !['radio', 'checkbox', 'submit', 'button'].includes(el.type)) continue
      const v = el.getAttribute(s)
      parts.push(v ? s + '=' + v.slice(0, 120) : '')
    }
    const path = []
    for (let x = area; x?.el; x = x.up) path.push(x.role || x.el.localName)
    parts.push(path.join('>'))
    return parts.join('|')
  }

  const roleWord = (c, el) => {
    const r = S.role(el)
    if (r && r !== 'label' && r !== 'paragraph' && r !== 'strong' && r !== 'emphasis') return r
    return c.kind === 'focus' ? 'focusable' : 'clickable'
  }

  // report is the RawNode of a placed candidate, or null when nobody can use it.
  S.report = (c, p, ctx) => {
    const el = c.el
    const at = c.box ?? el
    const n = { h: 0, role: '', name: '', box: p.box, inView: p.where === 'in', usable: true }
    const cs = getComputedStyle(at)
    if (cs.pointerEvents === 'none' && !S.disabled(el)) {
      if (!c.box && !(el.labels?.length)) return null
    }
    if ((c.kind === 'cursor' || c.kind === 'listener') && !at.checkVisibility({ opacityProperty: true })) return null
    const off = S.disabled(el)
    if (off) n.usable = false
    const outside = ctx.modal && !S.within(at, ctx.modal) && !ctx.modal.contains(at)
    if (outside && p.where !== 'in') return null
    if (p.where === 'in') {
      let hit = S.probe(el, at, p.vis, false)
      if (hit.x === undefined && el.labels?.length) {
        for (const l of el.labels) {
          const h = S.probe(el, l, ctx.win, false)
          if (h.x !== undefined) hit = h
        }
      }
      if (hit.x === undefined) hit = S.probe(el, at, p.vis, true)
      if (hit.x === undefined && !off) {
        if (!hit.top) return null
        const by = S.cover(hit.top, el)
        n.usable = false
        n.coveredBy = by.handle
        n.coveredByText = by.text
      }
    }
    n.h = S.handle(el)
    n.role = roleWord(c, el)
    n.name = S.name(el, n.role)
    if (!n.name && (c.kind === 'cursor' || c.kind === 'focus') && n.role !== 'img' && n.role !== 'canvas' && !el.querySelector('img,svg,canvas')) {
      if (c.kind === 'cursor') return null
    }
    const v = S.value(el, n.role)
    if (v) n.value = v
    if (secret(el)) n.secret = true
    const st = S.states(el, n.role)
    if (st.length) n.states = st
    n.group = S.areaLabel(c.area)
    n.key = key(el, n.role, n.name, c.area)
    return n
  }
})()
