// What the pages of all sites use: saving a value of the site's state, and a passing message.
const put = async (path, value) => {
  const answer = await fetch('/api/put', { method: 'POST', body: JSON.stringify({ path, value }) })
  if (!answer.ok) throw new Error(await answer.text())
}
const toast = (text) => {
  const el = document.createElement('div')
  el.className = 'toast'
  el.setAttribute('role', 'status')
  el.textContent = text
  document.body.append(el)
  setTimeout(() => el.remove(), 2500)
}
const make = (tag, props = {}, ...children) => {
  const el = document.createElement(tag)
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith('on') || k in el) el[k] = v
    else el.setAttribute(k, v)
  }
  el.append(...children)
  return el
}
