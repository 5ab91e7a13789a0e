// The shop works without this file; it saves page loads and shows when a button is ready.
'use strict'

const filters = document.getElementById('filters')
filters?.addEventListener('change', () => {
  for (const field of filters.elements) if (field.name && !field.value) field.disabled = true
  filters.submit()
})

const postcode = document.getElementById('postcode')
const check = postcode?.form.querySelector('button')
if (postcode?.form.id === 'postcode-form') {
  const ready = () => { check.disabled = postcode.value.trim() === '' }
  postcode.addEventListener('input', ready)
  ready()
}

const said = document.querySelector('.said')
for (const form of document.querySelectorAll('form.add')) {
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.setAttribute('aria-busy', 'true')
    try {
      const answer = await fetch(form.action, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new URLSearchParams(new FormData(form)),
      })
      if (!answer.ok) throw new Error(await answer.text())
      const now = await answer.json()
      document.getElementById('count').textContent = now.count
      said.textContent = now.said
    } catch {
      form.submit()
    } finally {
      button.removeAttribute('aria-busy')
    }
  })
}
