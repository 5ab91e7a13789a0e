// A panel's program that does whatever a test asks of it.
import { createServer } from 'node:http'
import { existsSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'

if (existsSync('refuse-to-start')) {
  console.error('Error: the database refused the connection')
  process.exit(1)
}

const json = (response, status, value) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
const deeds = {
  good: (r) => json(r, 200, { fine: true }),
  crash: () => {
    console.error('Error: out of paper')
    process.exit(3)
  },
  hang: () => writeFileSync('hanging', ''),
  half: (r) => {
    r.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
    r.write('{"a":')
    setTimeout(() => r.destroy(), 20)
  },
  huge: (r) => r.end(Buffer.alloc(6 * 1024 * 1024, 'x')),
  large: (r) => json(r, 200, { text: 'ü'.repeat(200_000) }),
  badjson: (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"a": nope}'),
  nested: (r) => json(r, 422, { error: { message: 'the title is too long' }, suggestion: 'Send a shorter title.' }),
  list: (r) => json(r, 400, { errors: [{ detail: 'first' }, { message: 'second' }] }),
  fastapi: (r) => json(r, 422, { detail: [{ loc: ['body', 'x'], msg: 'field required' }] }),
  text: (r) => r.writeHead(404, { 'content-type': 'text/plain' }).end('no such note'),
  html: (r) => r.writeHead(500, { 'content-type': 'text/html' }).end('<html><body>Internal</body></html>'),
  forbidden: (r) => json(r, 403, { message: 'not yours' }),
  quiet: (r) => json(r, 200, { success: false, error: 'the disk is full' }),
  redirect: (r) => r.writeHead(302, { location: 'http://example.com/' }).end(),
  picture: (r) => r.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0x50, 0x4e, 0x47])),
  binary: (r) => r.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.from([0xff, 0xfe, 0x00])),
  words: (r) => r.writeHead(200, { 'content-type': 'text/plain' }).end('plain words'),
  env: (r) => json(r, 200, { env: process.env, cwd: process.cwd(), pid: process.pid, token: r.req.headers['x-sextant-token'] }),
  child: (r) => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    json(r, 200, { pid: child.pid })
  },
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const what = request.url.split('/').at(-1)
  if (request.url.startsWith('/api/rogue/do/')) return deeds[what](response)
  json(response, 200, { method: request.method, url: request.url, body: body ? JSON.parse(body) : null })
})
writeFileSync('pid', String(process.pid))
console.log('rogue is up')
server.listen(Number(process.env.SEXTANT_PANEL_PORT), '127.0.0.1')
