// Runs in our own world at the start of every document and tells what the browser's protocol
// has no event for. The page sees neither this world nor its listeners.
(() => {
  const tell = globalThis.sextantTell
  if (typeof tell !== 'function') return
  addEventListener('beforeprint', () => tell('print'))
  addEventListener('fullscreenchange', () => { if (document.fullscreenElement) tell('fullscreen') }, true)
  addEventListener('pointerlockchange', () => { if (document.pointerLockElement) tell('pointerlock') }, true)
  if (window !== top || !navigator.permissions) return
  // A question to a person is refused at once by the browser; what shows is the change.
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi']) {
    navigator.permissions.query({ name }).then((status) => {
      status.onchange = () => { if (status.state === 'denied') tell('denied ' + name) }
    }, () => {})
  }
})()
