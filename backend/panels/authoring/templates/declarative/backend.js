// Answers the panel's tools: one handler per tool name. The data is in store.
const load = async () => (await store.get('items')) ?? []

handlers.tool_prefix_show = async () => {
  const items = await load()
  const done = items.filter((one) => one.done).length
  return { items, done, open: items.length - done }
}

handlers.tool_prefix_add = async ({ text }) => {
  const items = await load()
  const id = Math.max(0, ...items.map((one) => one.id)) + 1
  await store.set('items', [...items, { id, text, done: false, added: new Date().toISOString() }])
  return { id }
}

handlers.tool_prefix_mark = async ({ id, done }) => {
  const items = await load()
  const item = items.find((one) => one.id === Number(id))
  if (!item) throw new Error(`there is no item ${id}`)
  item.done = done
  await store.set('items', items)
  return item
}

handlers.tool_prefix_clear = async () => {
  const items = await load()
  await store.set('items', items.filter((one) => !one.done))
  return { cleared: items.filter((one) => one.done).length }
}
