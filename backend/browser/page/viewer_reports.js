// Runs in our isolated world at the start of every document of a browser without a window. It reports what a person
// needs who sees only pictures of the page: the cursor and what is under it, lists and pickers, which Chromium shows
// outside of the page, and that the clipboard has changed. The page cannot see this world or its listeners.
(() => {
  const tell = globalThis.sextantTell
  if (typeof tell !== 'function') return
  const ADDRESS_MAX = 4000
  const elements = (e) => e.composedPath().filter((n) => n instanceof Element)
  const address = (el) => String(el?.href?.baseVal ?? el?.href ?? '').slice(0, ADDRESS_MAX)

  const isOnText = (el, e) => {
    if (getComputedStyle(el).userSelect === 'none') return false
    const at = document.caretPositionFromPoint(e.clientX, e.clientY)
    if (at?.offsetNode?.nodeType !== Node.TEXT_NODE) return false
    // The rectangles of all of a long text would take too long.
    const range = document.createRange()
    range.setStart(at.offsetNode, Math.max(0, at.offset - 1))
    range.setEnd(at.offsetNode, Math.min(at.offsetNode.length, at.offset + 1))
    return [...range.getClientRects()].some((r) => e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom)
  }
  const isField = (el) => el.isContentEditable || el.localName === 'textarea' || (el.localName === 'input' && el.selectionStart !== null)
  const cursorOf = (el, e) => {
    const own = getComputedStyle(el).cursor.split(',').pop().trim()
    if (own !== 'auto') return own
    return isField(el) || isOnText(el, e) ? 'text' : 'default'
  }
  let pointed = ''
  const point = (e) => {
    const path = elements(e)
    const el = path[0]
    if (!e.isTrusted || !el) return
    const image = el.localName === 'img' ? el.currentSrc || el.src : ''
    const now = JSON.stringify({
      cursor: cursorOf(el, e),
      link: address(path.find((n) => /^(a|area)$/.test(n.localName) && n.href)),
      image: image.length > ADDRESS_MAX ? '' : image,
      editable: isField(el),
    })
    if (now !== pointed) tell('pointed ' + now)
    // Another document reports what is in a frame, or outside of this one.
    pointed = el.localName === 'iframe' ? '' : now
  }
  addEventListener('mouseover', point, true)
  addEventListener('mousemove', point, true)
  addEventListener('mouseout', (e) => { if (!e.relatedTarget) pointed = '' }, true)

  // Chromium opens a list or picker as the default action of these events, unless it is prevented. Listening last, at
  // the window, leaves the page its own way.
  const INDICATOR = 28
  const OPTIONS_MAX = 2000
  let opened = null
  let shown = []
  let count = 0
  const kindOf = (el) => {
    if (el.disabled || el.readOnly || getComputedStyle(el).appearance === 'base-select') return ''
    if (el.localName === 'select') return el.multiple || el.size > 1 ? '' : 'select'
    if (el.localName !== 'input') return ''
    if (/^(date|month|week|time|datetime-local|color)$/.test(el.type)) return el.type
    return el.list ? 'datalist' : ''
  }
  // The suggestions of a field that contain its text. The window shows them like the options of a select.
  const suggestions = (el) => [...el.list.options].filter((o) => o.value && o.value.toLowerCase().includes(el.value.toLowerCase()))
  const open = (e, el, kind) => {
    const type = kind === 'datalist' ? 'select' : kind
    const options = (kind === 'datalist' ? suggestions(el) : kind === 'select' ? [...el.options] : []).slice(0, OPTIONS_MAX)
    if (kind === 'datalist' && !options.length) return
    e.preventDefault()
    el.focus({ preventScroll: true })
    opened = el
    shown = options
    const { x, y, width, height } = el.getBoundingClientRect()
    const cut = (text) => String(text ?? '').replace(/\s+/g, ' ').trim().slice(0, 200)
    tell('picker ' + JSON.stringify({
      id: ++count, type, suggests: kind === 'datalist', box: { x, y, width, height }, selected: el.selectedIndex ?? -1,
      value: type === 'select' ? '' : el.value.slice(0, 40), min: cut(el.min), max: cut(el.max), step: cut(el.step),
      options: options.map((o) => ({
        label: cut(kind === 'datalist' ? o.value : o.label), group: o.parentElement.localName === 'optgroup' ? cut(o.parentElement.label) : '',
        disabled: o.disabled || o.parentElement.disabled || undefined,
      })),
    }))
  }
  const listen = (event, isOpening) => addEventListener(event, (e) => {
    const el = elements(e)[0]
    if (!e.isTrusted || e.defaultPrevented || !el) return
    const kind = kindOf(el)
    if (kind && isOpening(e, kind, el)) open(e, el, kind)
  })
  listen('mousedown', (e, kind) => kind === 'select' && e.button === 0)
  listen('click', (e, kind, el) => kind === 'color' || (kind !== 'select' && e.detail > 0 && e.offsetX > el.clientWidth - INDICATOR))
  listen('keydown', (e, kind) => {
    if (kind === 'color') return false // Space becomes a click
    if (kind === 'datalist') return e.key === 'ArrowDown'
    return e.key === ' ' || e.key === 'F4' || (e.altKey && /^Arrow(Up|Down)$/.test(e.key))
  })
  globalThis.sextantPick = (id, selected, value) => {
    const el = opened
    if (id !== count || !el?.isConnected || !kindOf(el)) return false
    const [before, index] = [el.value, el.selectedIndex]
    if (el.localName === 'select') el.selectedIndex = selected
    else el.value = kindOf(el) === 'datalist' ? shown[selected]?.value ?? before : value
    if (el.value === before && el.selectedIndex === index) return true
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
    el.dispatchEvent(new Event('change', { bubbles: true }))
    return true
  }

  const copied = () => setTimeout(() => tell('copied'))
  if (isSecureContext) navigator.clipboard?.addEventListener('clipboardchange', copied)
  else for (const event of ['copy', 'cut']) addEventListener(event, copied, true)
})()
