package recipebench

import (
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
)

// model is a page: sections with a heading, each with controls, or with rows of controls.
type model struct{ sections []*section }

type section struct {
	heading string
	// form is how the section is written: plain, table or cards.
	form     string
	controls []*control
	rows     []*row
}

type row struct {
	label    string
	controls []*control
}

// control is one thing to act on. id is the truth about it, which no reader of the page sees.
type control struct {
	id         int
	role, name string
}

var (
	headings = strings.Fields("Profile Billing Team Orders Drafts Published Invoices Alerts Reports Travel Archive")
	verbs    = strings.Fields("Save Send Print Share Copy Move Open Pay Call Sort Mark Close Start Export Assign Renew")
	nouns    = strings.Fields("report invoice order ticket letter photo plan note list file draft offer parcel")
	people   = strings.Fields("Ana Ben Cem Dora Emil Fay Gus Hana Ivo Jana Kofi Lea Milo Nia Omar Pia")
	families = strings.Fields("Lima Cho Okafor Berg Silva Novak Haddad Ito Moreau Quist")
	labels   = strings.Fields("City Street Postcode E-mail Phone Company Country Birthday Budget Language Reference")
	words    = strings.Fields("Blue River Stone Amber Quiet North Paper Silver Meadow Harbour Copper Winter")
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// newModel returns a page. The names of the controls of a section differ, those of rows are the same in each row.
func newModel(r *rand.Rand) *model {
	m := &model{}
	id := 0
	add := func(role, name string) *control {
		id++
		return &control{id, role, name}
	}
	for _, heading := range shuffled(r, headings)[:3+r.IntN(3)] {
		s := &section{heading: heading, form: pick(r, []string{"plain", "plain", "table", "cards"})}
		if s.form == "plain" {
			for _, label := range shuffled(r, labels)[:2+r.IntN(3)] {
				s.controls = append(s.controls, add(pick(r, []string{"textbox", "textbox", "checkbox"}), label))
			}
			for _, verb := range shuffled(r, verbs)[:2+r.IntN(3)] {
				s.controls = append(s.controls, add(pick(r, []string{"button", "link"}), verb+" "+pick(r, nouns)))
			}
		} else {
			names := shuffled(r, verbs)[:1+r.IntN(2)]
			for _, person := range shuffled(r, people)[:3+r.IntN(5)] {
				w := &row{label: person + " " + pick(r, families)}
				for _, name := range names {
					w.controls = append(w.controls, add("button", name))
				}
				s.rows = append(s.rows, w)
			}
		}
		m.sections = append(m.sections, s)
	}
	return m
}

func shuffled[T any](r *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// place is where a control is.
type place struct {
	section *section
	row     *row
	control *control
}

func (m *model) places() []place {
	var all []place
	for _, s := range m.sections {
		for _, c := range s.controls {
			all = append(all, place{s, nil, c})
		}
		for _, w := range s.rows {
			for _, c := range w.controls {
				all = append(all, place{s, w, c})
			}
		}
	}
	return all
}

// write returns the page as HTML. Classes, ids and wrappers depend on r only.
func (m *model) write(r *rand.Rand, wrap bool) string {
	var b strings.Builder
	class := func() string { return fmt.Sprintf(`class="c%x"`, r.Uint32()) }
	open := func() (end string) {
		if !wrap {
			return ""
		}
		for range r.IntN(3) {
			fmt.Fprintf(&b, "<div %s>", class())
			end += "</div>"
		}
		return end
	}
	write := func(c *control) {
		end := open()
		name := html.EscapeString(c.name)
		id := fmt.Sprintf("i%x", r.Uint32())
		switch c.role {
		case "button":
			fmt.Fprintf(&b, `<button type=button t=%d id=%s %s>%s</button> `, c.id, id, class(), name)
		case "link":
			fmt.Fprintf(&b, `<a href="#%s" t=%d %s>%s</a> `, id, c.id, class(), name)
		case "checkbox":
			fmt.Fprintf(&b, `<label %s><input type=checkbox t=%d id=%s> %s</label> `, class(), c.id, id, name)
		default:
			fmt.Fprintf(&b, `<label for=%s>%s</label> <input t=%d id=%s %s> `, id, name, c.id, id, class())
		}
		b.WriteString(end)
	}
	b.WriteString("<!doctype html><meta charset=utf-8><title>Bench</title><main>")
	for _, s := range m.sections {
		end := open()
		fmt.Fprintf(&b, "<section %s><h2>%s</h2>", class(), html.EscapeString(s.heading))
		for _, c := range s.controls {
			write(c)
		}
		if s.form == "table" {
			b.WriteString("<table>")
		}
		for _, w := range s.rows {
			if s.form == "table" {
				fmt.Fprintf(&b, "<tr><td>%s<td>", html.EscapeString(w.label))
			} else {
				fmt.Fprintf(&b, "<article %s><h3>%s</h3>", class(), html.EscapeString(w.label))
			}
			for _, c := range w.controls {
				write(c)
			}
			if s.form != "table" {
				b.WriteString("</article>")
			}
		}
		if s.form == "table" {
			b.WriteString("</table>")
		}
		b.WriteString("</section>" + end)
	}
	// The page knows which control was pressed, and removes what could tell it to a reader.
	b.WriteString(`</main><script>
const truth = new WeakMap()
for (const e of document.querySelectorAll('[t]')) { truth.set(e, e.getAttribute('t')); e.removeAttribute('t') }
addEventListener('click', (e) => {
  const t = e.composedPath().map((n) => truth.get(n)).find(Boolean)
  if (!t || !e.isTrusted) return
  e.preventDefault()
  const x = new XMLHttpRequest(); x.open('POST', '/pressed', false); x.send(t)
}, true)
</script>`)
	return b.String()
}
