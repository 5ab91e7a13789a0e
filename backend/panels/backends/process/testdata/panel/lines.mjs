// The same, spoken to by lines.
import { createInterface } from 'node:readline'
import { deeds } from './deeds.mjs'

console.log('a line that is no answer')
createInterface({ input: process.stdin }).on('line', async (text) => {
  const { id, path, body } = JSON.parse(text)
  const what = path.split('/').at(-1)
  if (what === 'flood') {
    for (;;) if (!process.stdout.write(Buffer.alloc(1 << 20, 'x'))) await new Promise((done) => process.stdout.once('drain', done))
  }
  if (what === 'words') console.log(JSON.stringify({ id, progress: 'half way' }))
  const value = what === 'words' ? { done: true } : await deeds[what](body)
  console.log(JSON.stringify({ id, body: value }))
})
