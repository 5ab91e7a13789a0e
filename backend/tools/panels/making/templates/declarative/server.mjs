// The program behind this panel. Sextant starts it on the first call of one of the panel's
// tools and sends the calls to the port in SEXTANT_PANEL_PORT.
import { createServer } from 'node:http'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const file = 'items.json'
const load = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [])
const save = (items) => writeFileSync(file, JSON.stringify(items, null, 2), { mode: 0o600 })

const routes = {
  'GET /items': () => {
    const items = load()
    const done = items.filter((one) => one.done).length
    return { items, done, open: items.length - done }
  },
  'POST /items': (_, { text }) => {
    const items = load()
    const id = Math.max(0, ...items.map((one) => one.id)) + 1
    save([...items, { id, text, done: false, added: new Date().toISOString() }])
    return { id }
  },
  'PUT /items/:id': (id, { done }) => {
    const items = load()
    const item = items.find((one) => one.id === Number(id))
    if (!item) throw new Error(`there is no item ${id}`)
    item.done = done
    save(items)
    return item
  },
  'DELETE /items': () => {
    const items = load()
    save(items.filter((one) => !one.done))
    return { cleared: items.filter((one) => one.done).length }
  },
}

createServer(async (request, response) => {
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  // Only Sextant knows the token, so no other program on this machine can call these routes.
  if (request.headers['x-sextant-token'] !== process.env.SEXTANT_PANEL_TOKEN) return answer(403, { error: 'this program answers Sextant only' })
  const [, , , name, id] = request.url.split('?')[0].split('/')
  const route = routes[`${request.method} /${name}${id ? '/:id' : ''}`]
  if (!route) return answer(404, { error: `there is no ${request.method} ${request.url}` })
  try {
    let body = ''
    for await (const part of request) body += part
    answer(200, route(id, body ? JSON.parse(body) : {}))
  } catch (error) {
    answer(500, { error: error.message })
  }
}).listen(process.env.SEXTANT_PANEL_PORT, '127.0.0.1')
