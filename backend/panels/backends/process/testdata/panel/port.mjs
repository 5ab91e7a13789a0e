// A panel's program on a port that does whatever a test asks of it.
import { createServer } from 'node:http'
import { deeds } from './deeds.mjs'

createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const asked = body ? JSON.parse(body) : {}
  const what = request.url.split('/').at(-1)
  if (what === 'flood') {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (response.write(Buffer.alloc(1 << 20, 'x')));
      response.once('drain', more)
    }
    return more()
  }
  const value = await deeds[what](asked)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}).listen(process.env.SEXTANT_PANEL_PORT, '127.0.0.1')
