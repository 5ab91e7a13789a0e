// The program behind the reading list panel. Sextant starts it on the first call of one of
// the panel's tools, in this folder, and stops it when Sextant ends. It needs Node 18 or
// newer and nothing else.
//
// The entries are in items.json in the folder that Sextant gives it to write to. The file is replaced
// as a whole after every change, so that a crash leaves the old list or the new one.
import { createServer } from 'node:http'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const port = Number(process.env.SEXTANT_PANEL_PORT)
const token = process.env.SEXTANT_PANEL_TOKEN
if (!port) {
  console.error('SEXTANT_PANEL_PORT is not set. Sextant starts this program; to try it alone, set a port yourself.')
  process.exit(2)
}

const root = '/api/reading-list'
const maxBody = 64 * 1024
const maxItems = 5000
const file = pathToFileURL(`${process.env.SEXTANT_PANEL_DATA || 'data'}/items.json`)

/** An answer that is an error: status, what is wrong, and what to do about it. */
class Problem extends Error {
  constructor(status, message, suggestion) {
    super(message)
    this.status = status
    this.suggestion = suggestion
  }
}

function load() {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return { next: 1, items: [] }
    throw error
  }
  const list = JSON.parse(text)
  if (!Number.isInteger(list.next) || !Array.isArray(list.items)) throw new Error('items.json does not hold a reading list')
  return list
}

function save(list) {
  mkdirSync(new URL('.', file), { recursive: true, mode: 0o700 })
  const half = new URL('./items.json.new', file)
  writeFileSync(half, JSON.stringify(list, null, 2) + '\n', { mode: 0o600 })
  renameSync(half, file)
}

function text(value, name, longest) {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new Problem(400, `${name} should be text`)
  if (value.length > longest) throw new Problem(400, `${name} is longer than ${longest} characters`)
  return value.trim()
}

function add(body) {
  const title = text(body.title, 'title', 300)
  if (!title) throw new Problem(400, 'title is missing', 'Send the title of the page or book.')
  const url = text(body.url, 'url', 2000)
  if (url && !/^https?:\/\/[^/\s]/.test(url)) throw new Problem(400, `"${url}" is not a web address`, 'Send an address that begins with https://, or leave url out.')
  const list = load()
  const same = url && list.items.find((item) => item.url === url)
  if (same) throw new Problem(409, `${url} is on the list already, as entry ${same.id}`, `Mark or remove entry ${same.id} instead.`)
  if (list.items.length >= maxItems) throw new Problem(409, `the list is full: ${maxItems} entries`, 'Remove some entries first.')
  const item = { id: list.next++, title, url, note: text(body.note, 'note', 2000), read: false, added: new Date().toISOString() }
  list.items.push(item)
  save(list)
  return item
}

function show(query) {
  const state = query.get('state') ?? 'all'
  const words = (query.get('query') ?? '').toLowerCase()
  const limit = Math.min(Math.max(Number(query.get('limit')) || 50, 1), 200)
  const all = load().items
  const found = all
    .filter((item) => state === 'all' || item.read === (state === 'read'))
    .filter((item) => `${item.title}\n${item.url}\n${item.note}`.toLowerCase().includes(words))
    .reverse()
  return { items: found.slice(0, limit), found: found.length, total: all.length, unread: all.filter((item) => !item.read).length }
}

function entry(list, id) {
  const item = list.items.find((one) => one.id === id)
  if (!item) throw new Problem(404, `there is no entry ${id}`, 'Call reading_list_show to see the ids.')
  return item
}

function mark(id, body) {
  const list = load()
  const item = entry(list, id)
  item.read = body.read !== false
  save(list)
  return item
}

function remove(id) {
  const list = load()
  const item = entry(list, id)
  list.items = list.items.filter((one) => one.id !== id)
  save(list)
  return { removed: item }
}

async function readBody(request) {
  let size = 0
  const parts = []
  for await (const part of request) {
    size += part.length
    if (size > maxBody) throw new Problem(413, 'the request is larger than 64 KB')
    parts.push(part)
  }
  try {
    const body = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}')
    if (body && typeof body === 'object' && !Array.isArray(body)) return body
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new Problem(400, 'the body should be a JSON object')
}

async function answer(request) {
  // Other programs on this machine can reach the port too; only Sextant knows the token.
  if (token && request.headers['x-sextant-token'] !== token) throw new Problem(403, 'this program answers Sextant only')
  const { pathname, searchParams } = new URL(request.url, 'http://panel')
  const id = Number(pathname.match(/^\/api\/reading-list\/items\/(\d+)$/)?.[1])
  const route = `${request.method} ${id ? `${root}/items/{id}` : pathname}`
  switch (route) {
    case `GET ${root}/health`:
      return { ready: true }
    case `GET ${root}/items`:
      return show(searchParams)
    case `POST ${root}/items`:
      return add(await readBody(request))
    case `PUT ${root}/items/{id}`:
      return mark(id, await readBody(request))
    case `DELETE ${root}/items/{id}`:
      return remove(id)
  }
  throw new Problem(404, `there is no ${route}`)
}

const server = createServer(async (request, response) => {
  let status = 200
  let value
  try {
    value = await answer(request)
  } catch (error) {
    status = error.status ?? 500
    value = { error: error.message, suggestion: error.suggestion }
    if (status === 500) console.error(error)
  }
  const data = Buffer.from(JSON.stringify(value))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': data.length })
  response.end(data)
})

server.listen(port, '127.0.0.1', () => console.log(`reading list on port ${port}`))
process.on('SIGTERM', () => {
  server.close(() => process.exit(0))
  server.closeAllConnections()
})
