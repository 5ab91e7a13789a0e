// Describes one listed element: role, name, value, states, what covers it, and its group.
(() => {
  const S = globalThis.__sextant
  const bullets = (s) => '•'.repeat(Math.min(Array.from(s).length, 64))

  S.value = (el, role) => {
    const tag = el.localName
    if (role === 'slider' && tag !== 'input') {
      const at = S.slid(el)
      if (at) return at
    }
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
    return S.hue(el)
  }

  // masked reports whether a text field shows dots, as some pages do instead of type=password.
  const masked = (el) => getComputedStyle(el).webkitTextSecurity !== 'none' || /\b(cc-number|cc-csc|current-password|new-password|one-time-code)\b/.test(el.getAttribute('autocomplete') ?? '') && el.type === 'password'

  S.secret = (el) => (el.localName === 'input' && (el.type === 'password' || (S.isTextField(el) && masked(el)))) || (el.localName === 'textarea' && getComputedStyle(el).webkitTextSecurity !== 'none')

  // submits reports whether pressing el, or Enter in it, sends what was filled in to the page's server. A search, and a
  // form that only opens an address with its values, do not count.
  const searchFields = 'input[type=search],input[name=q i],input[name=query i],input[name=search i]'
  const dataFields = 'input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image]),textarea,select,[contenteditable]'
  const contentOf = (form, ctx) => {
    ctx.forms ??= new Map()
    let content = ctx.forms.get(form)
    if (!content) {
      content = { search: !!(form.closest('search,[role=search]') ?? form.querySelector(searchFields)), data: !!form.querySelector(dataFields) }
      ctx.forms.set(form, content)
    }
    return content
  }
  S.submits = (el, ctx) => {
    const form = el.form
    if (!form || !(el.type === 'submit' || el.type === 'image' || (el.localName === 'input' && S.isTextField(el)))) return false
    const { search, data } = contentOf(form, ctx)
    const method = (el.getAttribute('formmethod') ?? form.getAttribute('method') ?? '').toLowerCase()
    if (search || method === 'dialog') return false
    if (method === 'post') return true
    const opens = el.hasAttribute('formaction') || form.hasAttribute('action')
    return data && !opens // a script sends it
  }

  const tri = (v, yes, no, mixed) => (v === 'true' ? yes : v === 'mixed' ? mixed : v === 'false' ? no : null)

  S.states = (el, role, off = S.disabled(el), focus = S.focusNow()) => {
    const out = []
    const add = (s) => s && out.push(s)
    const a = (n) => el.getAttribute(n)
    const type = el.localName === 'input' ? el.type : ''
    if (el.required || a('aria-required') === 'true') add('required')
    if (off) add('disabled')
    if (type === 'checkbox' || type === 'radio') add(el.indeterminate ? 'mixed' : el.checked ? 'checked' : 'unchecked')
    else if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) add(tri(a('aria-checked'), 'checked', 'unchecked', 'mixed') ?? 'unchecked')
    else if (a('aria-checked') !== null) add(tri(a('aria-checked'), 'checked', 'unchecked', 'mixed'))
    if (el.localName === 'summary') add(el.parentElement.open ? 'expanded' : 'collapsed')
    else add(tri(a('aria-expanded'), 'expanded', 'collapsed'))
    if (el.localName === 'option' ? el.selected : a('aria-selected') === 'true') add('selected')
    add(tri(a('aria-pressed'), 'pressed', null, 'mixed'))
    if (/^(ascending|descending)$/.test(a('aria-sort') ?? '')) add('sorted ' + a('aria-sort'))
    const cur = a('aria-current')
    if (cur && cur !== 'false') add('current')
    const inv = a('aria-invalid')
    if ((inv && inv !== 'false') || (el.willValidate && el.matches(':user-invalid'))) add('invalid')
    if ((el.readOnly && (S.isTextField(el) || type)) || a('aria-readonly') === 'true') add('readonly')
    if (S.movable(el)) add('draggable')
    if (el === focus) add('focused')
    if (el.localName === 'textarea' || a('aria-multiline') === 'true' || (role === 'textbox' && el.isContentEditable)) add('multiline')
    return out
  }

  S.focusNow = () => {
    let f = document.activeElement
    while (f && S.rootOf(f)?.activeElement) f = S.rootOf(f).activeElement
    return f === document.body ? null : f
  }
  S.focused = (el) => el === S.focusNow()

  const stable = ['name', 'type', 'href', 'data-testid', 'data-test', 'data-id', 'data-cy', 'for']
  const pressed = new Set(['radio', 'checkbox', 'submit', 'button'])

  // trail returns the properties of el, besides role and name, that survive a re-render.
  const trail = (el, area) => {
    let s = el.localName + '|' + el.id
    for (const a of stable) {
      const v = el.getAttribute(a)
      s += v ? `|${a}=${v.slice(0, 120)}` : '|'
    }
    if (pressed.has(el.type)) {
      const v = el.getAttribute('value')
      s += v ? '|value=' + v.slice(0, 120) : '|'
    }
    return s + '|' + (area ? path(area) : '')
  }
  const path = (area) => (area.path ??= area.el ? (area.role || area.el.localName) + '>' + (area.up ? path(area.up) : '') : '')

  const plainRoles = new Set(['', 'label', 'paragraph', 'strong', 'emphasis'])
  const roleWord = (c, el) => {
    const r = S.role(el)
    if (!plainRoles.has(r)) return r
    if (S.slid(el)) return 'slider'
    return c.kind === 'focus' ? 'focusable' : 'clickable'
  }

  // seen checks what a pointer would hit at an element in view: null when it can be pressed, {top} when something
  // covers it, undefined when that is unknown.
  const seen = (el, at, p, ctx) => {
    let hit = S.probe(el, at, p.vis, false)
    if (hit.x === undefined && el.labels?.length) {
      for (const l of el.labels) {
        const h = S.probe(el, l, ctx.win, false)
        if (h.x !== undefined) hit = h
      }
    }
    if (hit.x === undefined && !hit.lid) hit = S.probe(el, at, p.vis, true)
    if (hit.x !== undefined) return null
    return hit.top ? hit : undefined
  }

  const otherOptions = (el) => {
    const words = []
    let more = 0
    let length = 0
    for (const o of el.options) {
      if (o.selected || o.disabled || o.hidden || o.parentElement.disabled) continue
      const t = words.length < 6 && length < 60 ? S.fold(o.label.slice(0, 200)).replace(/["\u201c\u201d]/g, "'") : ''
      if (!t) {
        more++
        continue
      }
      words.push(t.length > 24 ? t.slice(0, 23).trim() + '…' : t)
      length += Math.min(t.length, 24)
    }
    if (more) words.push(`${more} more`)
    return words.length > 1 || !more ? words.join(', ') : ''
  }

  // faded reports whether an ancestor is fully transparent. A control that is itself transparent usually covers its
  // own picture, and so do fields that the page draws differently.
  const drawnOtherwise = new Set(['file', 'checkbox', 'radio', 'range', 'color', 'date'])
  const faded = (el, at) => {
    if (at !== el || at.checkVisibility({ opacityProperty: true }) || !at.checkVisibility() || getComputedStyle(at).opacity === '0') return false
    return !(el.localName === 'input' && drawnOtherwise.has(el.type)) && !el.labels?.length
  }

  S.report = (c, p, ctx) => {
    const el = c.el
    const at = c.box ?? el
    const n = { h: 0, role: '', name: '', value: '', states: null, box: p.box, inView: p.where === 'in', usable: true, secret: false, submits: false, coveredBy: 0, coveredByText: '', group: '', trail: '', row: '', sign: '', born: 0 }
    const off = c.off || el.matches(':disabled')
    if (p.dead && !off && !c.box && !el.labels?.length) return null
    if ((c.kind === 'cursor' || c.kind === 'listener') && !at.checkVisibility({ opacityProperty: true })) return null
    if (off) n.usable = false
    const outside = ctx.modal && !S.within(at, ctx.modal) && !ctx.modal.contains(at)
    if (outside && p.where !== 'in') return null
    if (p.where === 'in') {
      const hit = seen(el, at, p, ctx)
      if (hit === undefined && !off) return null
      if (hit && !off) {
        const by = S.cover(hit.top, el)
        n.usable = false
        n.coveredBy = by.handle
        n.coveredByText = by.text
      }
    }
    if (p.where !== 'in' && !p.fixed && !off) {
      const lid = ctx.lid === undefined ? (ctx.lid = S.lid(ctx)) : ctx.lid
      if (lid && !S.within(at, lid)) {
        ctx.lidded ??= S.cover(lid, el)
        n.usable = false
        n.coveredBy = ctx.lidded.handle
        n.coveredByText = ctx.lidded.text
      }
    }
    n.h = S.handle(el)
    n.role = roleWord(c, el)
    n.name = S.name(el, n.role)
    if (!n.name && c.kind === 'cursor' && n.role !== 'img' && n.role !== 'canvas' && !el.querySelector('img,svg,canvas')) return null
    n.value = S.value(el, n.role)
    n.secret = S.secret(el)
    n.submits = S.submits(el, ctx)
    n.states = S.states(el, n.role, off, ctx.focus)
    if (!off && el.localName === 'select' && !el.multiple && el.size <= 1) {
      const others = otherOptions(el)
      if (others) n.states.push(`or "${others}"`)
    }
    if (faded(el, at)) {
      n.usable = false
      n.states.push('invisible')
    }
    n.group = S.areaLabel(c.area)
    n.row = S.rowMark(el)
    n.trail = trail(el, c.area) + '|' + n.row
    n.sign = S.mark(el)
    n.born = S.born(el)
    return n
  }

  // The result is packed into one text, because it is expensive to pass thousands of objects. Records are separated by
  // backquotes, fields by tildes; in the page's text, these become U+0002 and U+0001.
  const sign = /[~`\u0001\u0002]/
  const safe = (s) => (sign.test(s) ? s.replace(/[\u0001\u0002]/g, '').replace(/~/g, '\u0001').replace(/`/g, '\u0002') : s)
  const num = (v) => Math.round(v * 100) / 100

  S.packNode = (n, groups) => {
    let g = groups.get(n.group)
    if (g === undefined) groups.set(n.group, (g = groups.size))
    const flags = (n.inView ? 1 : 0) | (n.usable ? 2 : 0) | (n.secret ? 4 : 0) | (n.submits ? 8 : 0)
    const b = n.box
    let out = `${n.h}~${flags}~${num(b.x)}~${num(b.y)}~${num(b.w)}~${num(b.h)}~${g}~${n.role}~${safe(n.name)}~${safe(n.trail)}~${n.sign}~${n.row}~${num(n.born)}`
    const more = n.value || n.coveredByText || n.states.length
    if (more) out += `~${safe(n.value)}~${n.coveredBy}~${safe(n.coveredByText)}~${n.states.length ? safe(n.states.join('\n')) : ''}`
    return out
  }
  S.packGroups = (groups) => Array.from(groups.keys(), safe).join('~')
})()
