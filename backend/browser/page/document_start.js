// Runs in our own world at the start of every document and reports what CDP has no event for. The page sees
// neither this world nor its listeners.
(() => {
  const report = globalThis.sextantTell
  if (typeof report !== 'function') return
  let count = 0
  addEventListener('beforeprint', () => report('print'))
  addEventListener('fullscreenchange', () => { if (document.fullscreenElement) report('fullscreen') }, true)
  addEventListener('pointerlockchange', () => { if (document.pointerLockElement) report('pointerlock') }, true)
  // The text of a password field is redacted from the recorded requests of the page. A field that was one
  // stays one.
  const fields = new WeakMap()
  addEventListener('input', (e) => {
    const field = e.composedPath()[0]
    if (!e.isTrusted || !(field instanceof HTMLInputElement)) return
    if (field.type === 'password' && !fields.has(field)) fields.set(field, ++count)
    if (fields.has(field)) report('secret ' + fields.get(field) + ' ' + field.value.slice(0, 1000))
  }, true)
  // The target of typed text is certain only when the text arrives. It is reported with text that may be
  // shown, and without text that must be hidden or whose target is unknown.
  const secrets = new WeakSet()
  const hides = (el) => {
    if (!(el instanceof Element)) return true
    const field = el.localName === 'input'
    const text = field ? /^(text|search|url|email|tel|number)$/.test(el.type) : el.localName === 'textarea' || el.isContentEditable
    const word = /\b(cc-number|cc-csc|current-password|new-password|one-time-code)\b/i.test(el.getAttribute('autocomplete') ?? '')
    if (!text || word || getComputedStyle(el).webkitTextSecurity !== 'none') secrets.add(el)
    return secrets.has(el)
  }
  addEventListener('beforeinput', (e) => {
    if (!e.isTrusted || e.inputType !== 'insertText' || typeof e.data !== 'string') return
    const el = e.composedPath()[0]
    const handle = globalThis.__sextant?.handle(el) ?? 0
    report(`typed ${handle} ` + (hides(el) || e.data.length > 2000 ? 'hidden' : 'shown ' + e.data))
  }, true)
  if (window !== top || !navigator.permissions) return
  // The browser denies a permission prompt at once; only the change of state can be observed.
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi']) {
    navigator.permissions.query({ name }).then((status) => {
      status.onchange = () => { if (status.state === 'denied') report('denied ' + name) }
    }, () => {})
  }
})()
