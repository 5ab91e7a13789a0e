package collect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// rows writes a page of about nodes elements: a table whose every tenth row can be acted on.
func rows(nodes int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Rows</title><style>td{padding:2px}</style><main><h1>Rows</h1><table><tbody>`)
	for i := range nodes / 8 {
		fmt.Fprintf(&b, `<tr class=r><td><span>Order</span> <b>%d</b><td><div><i>open</i></div>`, i)
		if i%10 == 0 {
			fmt.Fprintf(&b, `<td><button>Edit %d</button><td><a href="#%d">Show</a><td><input aria-label="Note %d">`, i, i, i)
		}
	}
	b.WriteString(`</table></main>`)
	return b.String()
}

func BenchmarkLook(b *testing.B) {
	for _, nodes := range []int{1_000, 16_000, 40_000} {
		page := rows(nodes)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
		w := openURL(b, server.URL)
		for name, o := range map[string]Options{"viewport": {}, "page": {WholePage: true}} {
			b.Run(fmt.Sprintf("%d/%s", nodes, name), func(b *testing.B) {
				look(b, w, o)
				for b.Loop() {
					if raw := look(b, w, o); len(raw.Nodes) == 0 {
						b.Fatal("nothing was seen")
					}
				}
			})
		}
		server.Close()
	}
}
