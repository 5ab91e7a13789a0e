// Answers the panel's tools: a handler by each tool's name. What is kept lies in store.
handlers.tool_prefix_add = async ({ text }) => {
  const notes = [...((await store.get('notes')) ?? []), { text, time: new Date().toISOString() }]
  await store.set('notes', notes)
  return { count: notes.length }
}

handlers.tool_prefix_list = async () => (await store.get('notes')) ?? []
