// Runs in our isolated world at the start of every document and reports what the DevTools protocol has no event for.
// The page cannot see this world or its listeners.
(() => {
  const tell = globalThis.sextantTell
  if (typeof tell !== 'function') return
  let count = 0
  addEventListener('beforeprint', () => tell('print'))
  addEventListener('fullscreenchange', () => { if (document.fullscreenElement) tell('fullscreen') }, true)
  addEventListener('pointerlockchange', () => { if (document.pointerLockElement) tell('pointerlock') }, true)
  // The text of password fields is reported so that it can be masked in the page's requests. A password field that
  // the page makes readable later remains one here.
  const fields = new WeakMap()
  addEventListener('input', (e) => {
    const field = e.composedPath()[0]
    if (!e.isTrusted || !(field instanceof HTMLInputElement)) return
    if (field.type === 'password' && !fields.has(field)) fields.set(field, ++count)
    if (fields.has(field)) tell('secret ' + fields.get(field) + ' ' + field.value.slice(0, 1000))
  }, true)
  // The field that text goes into is certain only when the text is inserted. The text itself is reported only for
  // fields that show it.
  const secrets = new WeakSet()
  const hides = (el) => {
    if (!(el instanceof Element)) return true
    const field = el.localName === 'input'
    const text = field ? /^(text|search|url|email|tel|number)$/.test(el.type) : el.localName === 'textarea' || el.isContentEditable
    const word = /\b(cc-number|cc-csc|current-password|new-password|one-time-code)\b/i.test(el.getAttribute('autocomplete') ?? '')
    if (!text || word || getComputedStyle(el).webkitTextSecurity !== 'none') secrets.add(el)
    return secrets.has(el)
  }
  const isEmpty = (el) => {
    if (el.value !== undefined) return !/\S/.test(el.value)
    const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) if (/\S/.test(texts.currentNode.data)) return false
    return true
  }
  const plain = (s) => s.replace(/\s/g, '')
  // Whether text that is inserted now replaces all that the field contains. A long text is read only if some is selected.
  const replacesAll = (el) => {
    if (isEmpty(el)) return true
    const selected = plain(String(getSelection()))
    return selected !== '' && selected === plain(el.value ?? el.textContent)
  }
  addEventListener('beforeinput', (e) => {
    if (!e.isTrusted || e.inputType !== 'insertText' || typeof e.data !== 'string') return
    const el = e.composedPath()[0]
    const handle = globalThis.__sextant?.handle(el) ?? 0
    const how = hides(el) || e.data.length > 2000 ? 'hidden' : (replacesAll(el) ? 'whole ' : 'shown ') + e.data
    tell(`typed ${handle} ` + how)
  }, true)
  if (window !== top) return
  // Some pages tell news by their title. Chromium has no event for it, and some pages change it all the time.
  const TITLE_MS = 500
  let title = ''
  let waiting = 0
  const tellTitle = () => {
    waiting = 0
    if (document.title !== title) tell('title ' + (title = document.title).slice(0, 1000))
  }
  addEventListener('DOMContentLoaded', () => {
    title = document.title
    const changes = new MutationObserver(() => { waiting ||= setTimeout(tellTitle, TITLE_MS); watch() })
    // A page may replace its head.
    const watch = () => {
      if (document.documentElement) changes.observe(document.documentElement, { childList: true })
      if (document.head) changes.observe(document.head, { subtree: true, childList: true, characterData: true })
    }
    watch()
  })
  if (!navigator.permissions) return
  // The browser refuses permission requests at once; only the change of the permission's state can be observed.
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi']) {
    navigator.permissions.query({ name }).then((status) => {
      status.onchange = () => { if (status.state === 'denied') tell('denied ' + name) }
    }, () => {})
  }
})()
