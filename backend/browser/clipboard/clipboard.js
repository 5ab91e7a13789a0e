// Writes the content to the clipboard, or returns what is in it if there is no argument.
async (content) => {
  const TYPES = { text: 'text/plain', html: 'text/html', png: 'image/png' }
  const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
  const toBase64 = async (blob) => {
    const reader = new FileReader()
    await new Promise((done) => { reader.onloadend = done; reader.readAsDataURL(blob) })
    return reader.result.slice(reader.result.indexOf(',') + 1)
  }
  if (content) {
    const parts = {}
    for (const [name, type] of Object.entries(TYPES)) {
      if (content[name]) parts[type] = new Blob([name === 'png' ? fromBase64(content[name]) : content[name]], { type })
    }
    if (!Object.keys(parts).length) return navigator.clipboard.writeText('')
    return navigator.clipboard.write([new ClipboardItem(parts)])
  }
  const found = {}
  for (const item of await navigator.clipboard.read()) {
    for (const [name, type] of Object.entries(TYPES)) {
      if (!item.types.includes(type)) continue
      const blob = await item.getType(type)
      found[name] = name === 'png' ? await toBase64(blob) : await blob.text()
    }
  }
  return found
}
