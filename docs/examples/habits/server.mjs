// Answers the tools of the habits panel. Days are kept as dates in data/habits.json.
import { createServer } from 'node:http'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const file = 'data/habits.json'
const load = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { next: 1, habits: [] })

// Written beside and renamed, so that a full disk cannot leave half a file.
function save(all) {
  mkdirSync('data', { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, JSON.stringify(all, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function day(ago) {
  const at = new Date()
  at.setDate(at.getDate() - ago)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-')
}

function streak(days) {
  // Today counts once it is done; until then the row reaches to yesterday.
  let back = days.includes(day(0)) ? 0 : 1
  const from = back
  while (days.includes(day(back))) back++
  return back - from
}

function find(all, id) {
  const habit = all.habits.find((one) => one.id === Number(id))
  if (!habit) throw Object.assign(new Error(`there is no habit ${id}`), { status: 404, suggestion: 'Call habits_show to see the ids.' })
  return habit
}

const routes = {
  'GET /habits': () => {
    const { habits } = load()
    const week = Array.from({ length: 14 }, (_, i) => day(13 - i))
    return {
      today: day(0),
      all: habits.length,
      done: habits.filter((one) => one.days.includes(day(0))).length,
      habits: habits.map(({ id, name, days }) => ({
        id,
        name,
        done: days.includes(day(0)),
        streak: streak(days),
        days: week.filter((date) => days.includes(date)).length,
      })),
      days: habits.length
        ? week.map((date) => ({
            label: `${Number(date.slice(8))}.${Number(date.slice(5, 7))}.`,
            done: habits.filter((one) => one.days.includes(date)).length,
          }))
        : [],
    }
  },
  'POST /habits': (_, { name }) => {
    const all = load()
    const habit = { id: all.next++, name, days: [] }
    all.habits.push(habit)
    save(all)
    return { id: habit.id, name }
  },
  'PUT /habits/:id': (id, { done }) => {
    const all = load()
    const habit = find(all, id)
    habit.days = habit.days.filter((date) => date !== day(0))
    if (done) habit.days.push(day(0))
    save(all)
    return { id: habit.id, name: habit.name, done, streak: streak(habit.days) }
  },
  'DELETE /habits/:id': (id) => {
    const all = load()
    const habit = find(all, id)
    all.habits = all.habits.filter((one) => one !== habit)
    save(all)
    return { removed: habit.name }
  },
}

createServer(async (request, response) => {
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  if (request.headers['x-sextant-token'] !== process.env.SEXTANT_PANEL_TOKEN) return answer(403, { error: 'this program answers Sextant only' })
  const [, , , name, id] = request.url.split('?')[0].split('/')
  const route = routes[`${request.method} /${name}${id ? '/:id' : ''}`]
  if (!route) return answer(404, { error: `there is no ${request.method} ${request.url}` })
  try {
    let body = ''
    for await (const part of request) body += part
    answer(200, route(id, body ? JSON.parse(body) : {}))
  } catch (error) {
    answer(error.status ?? 500, { error: error.message, suggestion: error.suggestion })
  }
}).listen(process.env.SEXTANT_PANEL_PORT, '127.0.0.1')
