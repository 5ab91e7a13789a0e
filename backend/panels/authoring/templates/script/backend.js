// Answers the panel's tools: one handler per tool name. The data is in store.
handlers.tool_prefix_add = async ({ text }) => {
  const notes = [...((await store.get('notes')) ?? []), { text, time: new Date().toISOString() }]
  await store.set('notes', notes)
  return { count: notes.length }
}

handlers.tool_prefix_list = async () => (await store.get('notes')) ?? []
