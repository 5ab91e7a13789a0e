// Converts a value to one that JSON can represent. Values that JSON has no form for are described, and long ones are
// truncated. The page may have replaced the functions called here, so only the value comes from here: the JSON text
// is written outside of the page.
(value) => {
  const limit = 50000
  const seen = new Set()
  let left = 20000
  let room = limit + 1000
  let cut = false
  const short = (text, n) => {
    n = n < room ? n : room
    if (text.length > n) {
      cut = true
      text = text.slice(0, n) + '…'
    }
    room -= text.length
    return text
  }
  const plain = (v, depth) => {
    if (left-- <= 0 || room <= 0) { cut = true; return '…' }
    switch (typeof v) {
      case 'string': return short(v, limit)
      case 'number': return Number.isFinite(v) ? v : String(v)
      case 'boolean': return v
      case 'undefined': return null
      case 'bigint': return v + 'n'
      case 'function': return 'function ' + (v.name || '(anonymous)')
      case 'symbol': return String(v)
    }
    if (v === null) return null
    if (seen.has(v)) return '(seen above)'
    if (depth > 12) { cut = true; return '…' }
    if (v instanceof Node) return short(v.nodeType === 1 ? v.outerHTML : v.nodeName + ' ' + (v.textContent || '').trim(), 300)
    if (v instanceof Window) return 'window ' + location.href
    if (v instanceof Error) return String(v.stack || v).split('\n')[0]
    if (v instanceof Date) return Number.isNaN(+v) ? 'Invalid Date' : v.toISOString()
    if (v instanceof RegExp) return String(v)
    seen.add(v)
    try {
      if (typeof v.toJSON === 'function') return plain(v.toJSON(), depth + 1)
      if (v instanceof Map) return { Map: [...v].map(([k, x]) => [plain(k, depth + 1), plain(x, depth + 1)]) }
      if (v instanceof Set || v instanceof NodeList || v instanceof HTMLCollection || ArrayBuffer.isView(v) && !(v instanceof DataView)) {
        v = Array.from(v)
      }
      if (Array.isArray(v)) {
        const list = []
        for (let i = 0; i < v.length; i++) {
          if (left <= 0 || room <= 0) { cut = true; break }
          list[i] = plain(v[i], depth + 1)
        }
        return list
      }
      const out = {}
      for (const key of Object.keys(v)) {
        if (left <= 0 || room <= 0) { cut = true; break }
        out[short(key, 200)] = plain(v[key], depth + 1)
      }
      return out
    } catch (e) {
      return '(unreadable: ' + e + ')'
    } finally {
      seen.delete(v)
    }
  }
  if (value === undefined) return { none: true }
  const made = plain(value, 0)
  return { value: made, cut }
}
