// Returns the boxes, in the document's viewport, of the fields and texts that show one of the values. Runs in our
// isolated world.
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
    // Finds the smallest element that contains a value, which may be split among its text nodes.
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
