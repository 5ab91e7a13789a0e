// Finds where a document shows one of the values: the boxes of fields and of text that contain it, in the
// document's viewport. Runs in our own world.
(values) => {
  const boxes = []
  const says = (text) => typeof text === 'string' && values.some((v) => text.includes(v))
  const put = (r) => {
    if (r.width > 0 && r.height > 0 && boxes.length < 500) boxes.push({ X: r.x - 2, Y: r.y - 2, W: r.width + 4, H: r.height + 4 })
  }
  const look = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (el.shadowRoot) look(el.shadowRoot)
      if ('value' in el && el.type !== 'password' && says(el.value)) put(el.getBoundingClientRect())
      if (says(el.placeholder) || says(el.alt)) put(el.getBoundingClientRect())
    }
    // The smallest element whose text contains the value, which may be split among its nodes.
    const smallest = (node) => {
      if (!says(node.textContent)) return
      let inner = false
      for (const child of node.children) if (says(child.textContent)) { inner = true; smallest(child) }
      if (inner || /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/.test(node.nodeName)) return
      const texts = [...node.childNodes].filter((n) => n.nodeType === 3 && says(n.data))
      for (const text of texts) {
        const range = document.createRange()
        range.selectNodeContents(text)
        for (const r of range.getClientRects()) put(r)
      }
      if (!texts.length && node.getBoundingClientRect) put(node.getBoundingClientRect())
    }
    for (const child of root.children) smallest(child)
  }
  look(document)
  return boxes
}
