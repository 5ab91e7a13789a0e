// Runs in our own world at the start of every document and tells what the browser's protocol
// has no event for. The page sees neither this world nor its listeners.
(() => {
  const tell = globalThis.sextantTell
  if (typeof tell !== 'function') return
  let count = 0
  addEventListener('beforeprint', () => tell('print'))
  addEventListener('fullscreenchange', () => { if (document.fullscreenElement) tell('fullscreen') }, true)
  addEventListener('pointerlockchange', () => { if (document.pointerLockElement) tell('pointerlock') }, true)
  // What a password field gets is kept out of what is told of the page's requests. A field that shows
  // it later stays one.
  const fields = new WeakMap()
  addEventListener('input', (e) => {
    const field = e.composedPath()[0]
    if (!e.isTrusted || !(field instanceof HTMLInputElement)) return
    if (field.type === 'password' && !fields.has(field)) fields.set(field, ++count)
    if (fields.has(field)) tell('secret ' + fields.get(field) + ' ' + field.value.slice(0, 1000))
  }, true)
  if (window !== top || !navigator.permissions) return
  // A question to a person is refused at once by the browser; what shows is the change.
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi']) {
    navigator.permissions.query({ name }).then((status) => {
      status.onchange = () => { if (status.state === 'denied') tell('denied ' + name) }
    }, () => {})
  }
})()
