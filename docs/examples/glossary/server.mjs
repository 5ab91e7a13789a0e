// An MCP server on standard input and output, in one file without a library: each line of input is a
// JSON-RPC message, each line of output its answer. Logs go to standard error.
//
// The words are in words.json in the folder that Sextant gives it to write to.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const folder = process.env.SEXTANT_PANEL_DATA ?? 'data'
const file = join(folder, 'words.json')

function load() {
  try {
    return new Map(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error.code === 'ENOENT') return new Map()
    throw error
  }
}

function save(words) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, JSON.stringify([...words], null, 2) + '\n', { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

const word = { type: 'string', minLength: 1, maxLength: 100 }
const object = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false })

/** What can be called: by name what it is, what it takes, and what it does. */
const tools = {
  find: {
    description: 'Finds words by a part of the word or of its meaning',
    inputSchema: object({ query: { type: 'string' } }),
    run: ({ query = '' }) => {
      const part = query.toLowerCase()
      const found = [...load()].filter(([name, meaning]) => `${name}\n${meaning}`.toLowerCase().includes(part)).sort()
      return { words: found.map(([name, meaning]) => ({ word: name, meaning })) }
    },
  },
  define: {
    description: 'Puts a word in, or changes its meaning',
    inputSchema: object({ word, meaning: { type: 'string', minLength: 1, maxLength: 2000 } }, ['word', 'meaning']),
    run: ({ word, meaning }) => {
      const words = load()
      const was = words.get(word) ?? null
      if (was === null && words.size >= 5000) throw new Error('the glossary is full: 5,000 words')
      save(words.set(word, meaning))
      return { word, meaning, was }
    },
  },
  forget: {
    description: 'Takes a word out',
    inputSchema: object({ word }, ['word']),
    run: ({ word }) => {
      const words = load()
      if (!words.delete(word)) throw new Error(`“${word}” is not in the glossary. Its words: ${[...words.keys()].slice(0, 20).join(', ') || 'none'}`)
      save(words)
      return { forgotten: word }
    },
  },
}

/** A tool's own failure is an answer that says so, not an error of the protocol. */
function call({ name, arguments: args = {} }) {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!tool) throw { code: -32602, message: `there is no tool ${name}` }
  try {
    const value = tool.run(args)
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true }
  }
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'glossary', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })) }),
  'tools/call': call,
}

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')

createInterface({ input: process.stdin }).on('line', (line) => {
  let message
  try {
    message = JSON.parse(line)
  } catch {
    return send({ id: null, error: { code: -32700, message: 'that is no JSON' } })
  }
  const { id, method, params } = message
  if (id === undefined) return // a notification gets no answer
  try {
    if (!Object.hasOwn(methods, method)) throw { code: -32601, message: `there is no ${method}` }
    send({ id, result: methods[method](params ?? {}) })
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.message } })
  }
})
