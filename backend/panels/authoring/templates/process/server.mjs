// The program behind this panel. Sextant starts it on the first call of one of the panel's
// tools and sends the calls to the port in SEXTANT_PANEL_PORT.
import { createServer } from 'node:http'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

// The only folder that this program may write to. It stays when the panel is edited.
const file = `${process.env.SEXTANT_PANEL_DATA}/notes.json`
const load = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [])

const routes = {
  'GET /api/panel-id/notes': () => load(),
  'POST /api/panel-id/notes': ({ text }) => {
    const notes = [...load(), { text, time: new Date().toISOString() }]
    writeFileSync(file, JSON.stringify(notes, null, 2), { mode: 0o600 })
    return { count: notes.length }
  },
}

createServer(async (request, response) => {
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  // Only Sextant knows the token, so no other program on this machine can call these routes.
  if (request.headers['x-sextant-token'] !== process.env.SEXTANT_PANEL_TOKEN) return answer(403, { error: 'this program answers only Sextant' })
  const route = routes[`${request.method} ${request.url.split('?')[0]}`]
  if (!route) return answer(404, { error: `there is no ${request.method} ${request.url}` })
  try {
    let body = ''
    for await (const part of request) body += part
    answer(200, route(body ? JSON.parse(body) : {}))
  } catch (error) {
    answer(500, { error: error.message })
  }
}).listen(process.env.SEXTANT_PANEL_PORT, '127.0.0.1')
