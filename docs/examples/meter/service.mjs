// Stands for a service that you already run and that other programs use too. It needs Node 18 or newer
// and nothing else.
//
//   node service.mjs [file]      listens on 127.0.0.1:8800, or on PORT
import { createServer } from 'node:http'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const file = process.argv[2] ?? 'readings.json'
const port = Number(process.env.PORT ?? 8800)
const day = /^\d{4}-\d{2}-\d{2}$/

/** Readings by day: { "2026-03-01": 4218.5 }. */
function load() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

function save(readings) {
  writeFileSync(`${file}.new`, JSON.stringify(readings, null, 2) + '\n')
  renameSync(`${file}.new`, file)
}

const refuse = (status, error, suggestion) => Object.assign(new Error(error), { status, suggestion })
const round = (value) => Math.round(value * 100) / 100
const days = (from, to) => (Date.parse(to) - Date.parse(from)) / 86_400_000

function show(back) {
  const first = new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
  const all = Object.entries(load())
    .filter(([when]) => when >= first)
    .sort()
    .map(([when, kwh]) => ({ day: when, kwh }))
  const spans = all.slice(1).map((to, i) => {
    const from = all[i]
    return { since: from.day, until: to.day, used: round(to.kwh - from.kwh), perDay: round((to.kwh - from.kwh) / days(from.day, to.day)) }
  })
  const perDay = spans.length ? round((all.at(-1).kwh - all[0].kwh) / days(all[0].day, all.at(-1).day)) : 0
  return { perDay, spans, readings: all.reverse() }
}

function write(body) {
  const when = body.day ?? new Date().toISOString().slice(0, 10)
  if (!day.test(when)) throw refuse(400, `"${when}" is no day`, 'Write it as 2026-03-01.')
  if (!Number.isFinite(body.kwh) || body.kwh < 0) throw refuse(400, 'kwh should be a number')
  const readings = load()
  if (when in readings) throw refuse(409, `${when} has the reading ${readings[when]}`, 'Remove it first, or give another day.')
  const before = Object.keys(readings).filter((other) => other < when).sort().at(-1)
  if (before && readings[before] > body.kwh) throw refuse(400, `on ${before} the meter showed ${readings[before]} already`, 'Look at the meter again.')
  readings[when] = body.kwh
  save(readings)
  return { day: when, kwh: body.kwh, used: before ? round(body.kwh - readings[before]) : 0 }
}

function remove(when) {
  const readings = load()
  if (!(when in readings)) throw refuse(404, `there is no reading of ${when}`, 'Call meter_show to see the days.')
  const kwh = readings[when]
  delete readings[when]
  save(readings)
  return { removed: { day: when, kwh } }
}

async function body(request) {
  let text = ''
  for await (const part of request) {
    text += part
    if (text.length > 65_536) throw refuse(413, 'the request is larger than 64 KB')
  }
  try {
    return JSON.parse(text || '{}')
  } catch {
    throw refuse(400, 'the body should be JSON')
  }
}

async function answer(request) {
  // Pages in a browser can send requests here too; those have an Origin header.
  if (request.headers.origin) throw refuse(403, 'pages are not answered')
  const { pathname, searchParams } = new URL(request.url, 'http://meter')
  const one = pathname.match(/^\/api\/meter\/readings\/([^/]+)$/)?.[1]
  if (request.method === 'GET' && pathname === '/api/meter/readings') return show(Number(searchParams.get('days')) || 365)
  if (request.method === 'POST' && pathname === '/api/meter/readings') return write(await body(request))
  if (request.method === 'DELETE' && one) return remove(decodeURIComponent(one))
  throw refuse(404, `there is no ${request.method} ${pathname}`)
}

const server = createServer(async (request, response) => {
  let [status, value] = [200, undefined]
  try {
    value = await answer(request)
  } catch (error) {
    status = error.status ?? 500
    value = { error: error.message, suggestion: error.suggestion }
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
})
server.listen(port, '127.0.0.1', () => console.log(`meter on http://127.0.0.1:${server.address().port}`))
