// Roles by HTML-AAM 1.0 with the names of WAI-ARIA 1.2; a plain word where HTML-AAM gives no role.
(() => {
  const S = globalThis.__sextant

  const known = new Set(
    ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
      'complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group ' +
      'heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox ' +
      'menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row ' +
      'rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch ' +
      'tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '),
  )
  S.widgets = new Set(
    ('button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider ' +
      'spinbutton switch tab textbox treeitem').split(' '),
  )

  // lists are roles of boxes whose text is that of their entries.
  S.lists = new Set('list listbox menu menubar table grid tree treegrid tablist feed'.split(' '))

  const simple = {
    article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code',
    datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term',
    em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading',
    h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', html: 'document', ins: 'insertion', main: 'main',
    math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option',
    output: 'status', p: 'paragraph', progress: 'progressbar', search: 'search', strong: 'strong', sub: 'subscript',
    summary: 'button', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox',
    tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list', video: 'video', audio: 'audio', canvas: 'canvas',
    iframe: 'iframe', label: 'label', object: 'object', embed: 'object',
  }
  const inputs = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider',
    number: 'spinbutton', file: 'file', color: 'color', date: 'date', time: 'time', 'datetime-local': 'datetime',
    month: 'month', week: 'week', password: 'textbox', hidden: '',
  }
  const sections = new Set(['article', 'aside', 'main', 'nav', 'section'])
  const sectionRoles = new Set(['article', 'complementary', 'main', 'navigation', 'region'])

  const inSection = (el) =>
    !!S.closest(S.up(el), (p) => sectionRoles.has(p.getAttribute('role')) || (!p.hasAttribute('role') && sections.has(p.localName)))
  const named = (el) => !!(el.getAttribute('aria-label')?.trim() || el.getAttribute('aria-labelledby')?.trim() || el.title?.trim())

  const gridOf = (el) => {
    const t = S.closest(el, (p) => p.localName === 'table' || ['grid', 'treegrid', 'table'].includes(p.getAttribute('role')))
    return t ? t.getAttribute('role') || 'table' : ''
  }

  const implicit = (el) => {
    const tag = el.localName
    switch (tag) {
      case 'a':
      case 'area':
        return el.hasAttribute('href') || el.hasAttribute('xlink:href') ? 'link' : ''
      case 'input': {
        const list = el.hasAttribute('list')
        const type = el.type
        if (type in inputs) return inputs[type]
        if (list) return 'combobox'
        return type === 'search' ? 'searchbox' : 'textbox'
      }
      case 'select':
        return el.multiple || el.size > 1 ? 'listbox' : 'combobox'
      case 'img':
        return el.getAttribute('alt') === '' && !named(el) ? '' : 'img'
      case 'header':
        return inSection(el) ? '' : 'banner'
      case 'footer':
        return inSection(el) ? '' : 'contentinfo'
      case 'section':
        return named(el) ? 'region' : ''
      case 'form':
        return 'form'
      case 'li':
        return S.closest(S.up(el), (p) => ['ul', 'ol', 'menu'].includes(p.localName) || p.getAttribute('role') === 'list') ? 'listitem' : ''
      case 'td':
      case 'th': {
        const g = gridOf(el)
        if (!g || g === 'presentation' || g === 'none') return ''
        if (tag === 'th') return el.scope === 'row' || el.scope === 'rowgroup' ? 'rowheader' : 'columnheader'
        return g === 'table' ? 'cell' : 'gridcell'
      }
    }
    return simple[tag] ?? ''
  }

  S.focusable = (el) => {
    if (el.tabIndex >= 0) return true
    return el.hasAttribute('tabindex') && !Number.isNaN(parseInt(el.getAttribute('tabindex'), 10))
  }
  const globals = ['aria-label', 'aria-labelledby', 'aria-describedby', 'aria-live', 'aria-controls', 'aria-owns']

  // role returns the ARIA role of el, '' for none. A presentational role is ignored on elements that can take focus
  // or have a global ARIA attribute (conflict resolution of WAI-ARIA 1.2).
  S.role = (el) => {
    const attr = el.getAttribute('role')
    if (attr) {
      for (const word of attr.toLowerCase().split(/\s+/)) {
        if (!known.has(word)) continue
        if (word === 'none' || word === 'presentation') {
          if (S.focusable(el) || globals.some((a) => el.hasAttribute(a))) return implicit(el)
          return ''
        }
        if (word === 'generic') return ''
        return word === 'image' ? 'img' : word
      }
    }
    const r = implicit(el)
    if (!r && S.editable(el)) return 'textbox'
    return r
  }

  // control reports whether el is a native control or has an ARIA widget role.
  S.control = (el) => {
    switch (el.localName) {
      case 'input':
        return el.type !== 'hidden'
      case 'button': case 'select': case 'textarea':
        return true
      case 'summary':
        return el.parentElement?.localName === 'details' && el.parentElement.querySelector(':scope > summary') === el
      case 'option':
        return !!el.closest('select')
      case 'a': case 'area':
        if (el.hasAttribute('href') || el.hasAttribute('xlink:href')) return true
        break
      case 'video': case 'audio':
        return el.controls
    }
    if (el.hasAttribute('role') && S.widgets.has(S.role(el))) return true
    return S.editable(el)
  }
})()
