import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'

const options = (url) => ({ host: new URL(url).hostname, port: new URL(url).port || 80, path: '/' })

const tried = (act) => {
  try {
    return { did: act() ?? true }
  } catch (error) {
    return { failed: error.code ?? error.message }
  }
}

export const deeds = {
  good: () => ({ token: process.env.SEXTANT_PANEL_TOKEN, config: process.env.SEXTANT_PANEL_CONFIG, env: Object.keys(process.env) }),
  read: ({ path }) => tried(() => readFileSync(path, 'utf8')),
  list: ({ path }) => tried(() => readdirSync(path)),
  write: ({ path }) => tried(() => writeFileSync(path, 'written')),
  own: () => tried(() => writeFileSync(process.env.SEXTANT_PANEL_DATA + '/kept', 'kept')),
  dial: ({ host, port }) =>
    new Promise((done) => {
      const socket = connect({ host, port, timeout: 3000 }, () => done({ did: true }))
      socket.on('error', (error) => done({ failed: error.code ?? error.message }))
      socket.on('timeout', () => done({ failed: 'timeout' }))
    }),
  // As a program does that knows the variables of a proxy; without one it goes straight.
  fetch: ({ url }) =>
    new Promise((done) => {
      const way = process.env.http_proxy ? { ...options(process.env.http_proxy), path: url, headers: { host: new URL(url).host } } : options(url)
      request({ ...way, timeout: 3000 }, async (response) => {
        let text = ''
        for await (const part of response) text += part
        done({ did: text })
      })
        .on('error', (error) => done({ failed: error.code ?? error.message }))
        .on('timeout', () => done({ failed: 'timeout' }))
        .end()
    }),
  detach: () => {
    const child = spawn('setsid', ['-f', 'sleep', '86399'], { stdio: 'ignore', detached: true })
    child.unref()
    return { did: true }
  },
  crash: () => {
    console.error('Error: out of paper')
    process.exit(3)
  },
  hang: () => new Promise(() => {}),
  memory: () => {
    const all = []
    for (;;) all.push(Buffer.alloc(64 << 20, 1))
  },
}
