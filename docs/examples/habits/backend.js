// Answers the tools of the habits panel. Days are stored as dates, by habit.
const load = async () => (await store.get('all')) ?? { next: 1, habits: [] }
const save = (all) => store.set('all', all)

function day(ago) {
  const at = new Date()
  at.setDate(at.getDate() - ago)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-')
}

function streak(days) {
  // Today counts once it is done; until then the streak ends yesterday.
  const from = days.includes(day(0)) ? 0 : 1
  let back = from
  while (days.includes(day(back))) back++
  return back - from
}

function find(all, id) {
  const habit = all.habits.find((one) => one.id === Number(id))
  if (!habit) throw new Error(`there is no habit ${id}; habits_show tells the ids`)
  return habit
}

handlers.habits_show = async () => {
  const { habits } = await load()
  const weeks = Array.from({ length: 14 }, (_, i) => day(13 - i))
  const done = (date) => habits.filter((one) => one.days.includes(date)).length
  return {
    today: day(0),
    all: habits.length,
    done: done(day(0)),
    habits: habits.map(({ id, name, days }) => ({
      id,
      name,
      done: days.includes(day(0)),
      streak: streak(days),
      days: weeks.filter((date) => days.includes(date)).length,
    })),
    days: habits.length
      ? weeks.map((date) => ({ label: `${Number(date.slice(8))}.${Number(date.slice(5, 7))}.`, done: done(date) }))
      : [],
  }
}

handlers.habits_add = async ({ name }) => {
  const all = await load()
  const habit = { id: all.next++, name, days: [] }
  all.habits.push(habit)
  await save(all)
  return { id: habit.id, name }
}

handlers.habits_mark = async ({ id, done }) => {
  const all = await load()
  const habit = find(all, id)
  habit.days = habit.days.filter((date) => date !== day(0))
  if (done) habit.days.push(day(0))
  await save(all)
  return { id: habit.id, name: habit.name, done, streak: streak(habit.days) }
}

handlers.habits_remove = async ({ id }) => {
  const all = await load()
  const habit = find(all, id)
  all.habits = all.habits.filter((one) => one !== habit)
  await save(all)
  return { removed: habit.name }
}
