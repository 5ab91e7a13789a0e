// A board of cards. Sextant stores its state: window.sextant.state, up to 256 KB.
const columns = ['To do', 'Doing', 'Done']
const board = document.querySelector('#board')
let cards = []

async function keep(changed) {
  cards = changed
  draw()
  await sextant.state.set(cards)
}

function element(name, content = {}, ...children) {
  const made = Object.assign(document.createElement(name), content)
  made.append(...children)
  return made
}

function card(one) {
  const move = (by, sign, where) =>
    element('button', {
      textContent: sign,
      ariaLabel: `Move ${one.text} to ${where}`,
      onclick: () => keep(cards.map((other) => (other === one ? { ...one, column: one.column + by } : other))),
    })
  const drop = element('button', {
    textContent: '×',
    ariaLabel: `Remove ${one.text}`,
    onclick: () => keep(cards.filter((other) => other !== one)),
  })
  const buttons = []
  if (one.column > 0) buttons.push(move(-1, '‹', columns[one.column - 1]))
  if (one.column < columns.length - 1) buttons.push(move(1, '›', columns[one.column + 1]))
  else buttons.push(drop)
  return element('article', {}, element('p', { textContent: one.text }), ...buttons)
}

function draw() {
  const parts = columns.map((title, column) => {
    const own = cards.filter((one) => one.column === column)
    const head = element('h2', { textContent: `${title} ` }, element('span', { textContent: own.length }))
    return element('section', { ariaLabel: title }, head, ...own.map(card))
  })
  const input = element('input', { placeholder: 'Write a card, then Enter', ariaLabel: 'New card', maxLength: 200 })
  input.onkeydown = (event) => {
    if (event.key !== 'Enter' || !input.value.trim()) return
    keep([...cards, { text: input.value.trim(), column: 0 }])
    board.querySelector('input').focus()
  }
  parts[0].append(input)
  board.replaceChildren(...parts)
}

sextant.state.get().then((kept) => {
  cards = kept ?? []
  draw()
})
