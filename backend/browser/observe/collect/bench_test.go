package collect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// rows writes a page of about nodes elements: a table in which every tenth row can be clicked.
func rows(nodes int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Rows</title><style>td{padding:2px}</style><main><h1>Rows</h1><table><tbody>`)
	for i := range nodes / 8 {
		fmt.Fprintf(&b, `<tr class=r><td><span>Order</span> <b>%d</b><td><div><i>open</i></div>`, i)
		if i%10 == 0 {
			fmt.Fprintf(&b, `<td><button>Edit %d</button><td><a href="#%d">Show</a><td><input aria-label="Note %d">`, i,
				i, i)
		}
	}
	b.WriteString(`</table></main>`)
	return b.String()
}

// blocks writes a page of about nodes nested boxes with 200 buttons.
func blocks(nodes int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Blocks</title><main>`)
	for i := range 200 {
		fmt.Fprintf(&b, `<section><h2>Part %d</h2>`, i)
		for j := range nodes/200/4 - 1 {
			fmt.Fprintf(&b, `<div class=line><p>Text <b>%d</b> of <i>%d</i></p></div>`, j, i)
		}
		fmt.Fprintf(&b, `<button>Press %d</button></section>`, i)
	}
	b.WriteString(`</main><script>document.querySelectorAll('button').forEach((b) => b.addEventListener('click', () => {}))</script>`)
	return b.String()
}

// table writes a table of 1,000 rows with three controls each, about 9,000 elements.
func table() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Table</title><style>td{padding:2px}</style><main><h1>Customers</h1><table><tbody>`)
	for i := range 1000 {
		fmt.Fprintf(&b, `<tr><td>%d<td>Customer %d<td><input type=checkbox aria-label="Choose %d"><td><a href="#%d">Open %d</a><td><button>Edit %d</button>`, i, i, i, i, i, i)
	}
	b.WriteString(`</table></main>`)
	return b.String()
}

// links writes a list of links.
func links(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Links</title><main><ul>`)
	for i := range n {
		fmt.Fprintf(&b, `<li><a href="/article/%d">Article number %d</a>`, i, i)
	}
	b.WriteString(`</ul></main>`)
	return b.String()
}

const smallForm = `<!doctype html><title>Form</title><main><h1>Sign up</h1><form><label>Name <input></label><label>E-mail <input type=email></label>
<label><input type=checkbox> News</label><select aria-label=Size><option>S<option>M</select><button>Send</button></form></main>`

func BenchmarkLook(b *testing.B) {
	for _, c := range []struct{ name, page string }{
		{"rows-16k", rows(16_000)},
		{"rows-40k", rows(40_000)},
		{"blocks-40k", blocks(40_000)},
		{"table", table()},
		{"links", links(300)},
		{"form", smallForm},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request,
		) {
			fmt.Fprint(w, c.page)
		}))
		w := openURL(b, server.URL)
		for _, s := range []struct {
			name string
			o    Options
		}{{"viewport", Options{}}, {"page", Options{WholePage: true}}} {
			b.Run(c.name+"/"+s.name, func(b *testing.B) {
				collectPage(b, w, s.o)
				for b.Loop() {
					if raw := collectPage(b, w, s.o); raw.ElementCount == 0 {
						b.Fatal("nothing was seen")
					}
				}
			})
		}
		server.Close()
	}
}

func BenchmarkNewText(b *testing.B) {
	for _, nodes := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, rows(nodes))
			}))
			defer server.Close()
			w := openURL(b, server.URL)
			if err := Install(b.Context(), w); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				w.js(b, fmt.Sprintf("document.querySelector('h1').textContent = 'Rows %d', 1", i))
				text, err := TakeNewText(b.Context(), w, time.Minute) // else the heading is a clock
				if err != nil || i > 0 && len(text.Lines) != 1 {
					b.Fatalf("%+v, %v", text, err)
				}
			}
		})
	}
}
