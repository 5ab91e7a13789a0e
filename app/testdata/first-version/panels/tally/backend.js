handlers.tally_add = async ({ name, by }) => {
  const counters = (await store.get('counters')) ?? {}
  counters[name] = (counters[name] ?? 0) + by
  await store.set('counters', counters)
  return { name, value: counters[name] }
}
