package collect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// holes are things under layers that leave a point of each free, though their middle and most of
// their corners are covered.
const holes = `<!doctype html><style>
button{position:absolute;width:200px;height:40px;margin:0}.over{position:absolute;width:220px;height:60px;background:#eee;z-index:1}</style>
<button style="left:10px;top:10px">Cut out</button><div class=over style="left:0;top:0;clip-path:polygon(0 0,100% 0,100% 100%,0 100%,0 80%,60% 80%,60% 20%,0 20%)"></div>
<button style="left:310px;top:10px">Under a circle</button><div class=over style="left:320px;top:-60px;width:180px;height:180px;border-radius:50%"></div>
<button style="left:610px;top:10px">Under a tilted one</button><div class=over style="left:600px;top:8px;height:44px;transform:rotate(12deg)"></div>
<button style="left:10px;top:210px">Under corners only</button><div class=over style="left:0;top:200px;pointer-events:none;background:none"><i
 style="pointer-events:auto;position:absolute;inset:0 auto 0 0;width:60px"></i><i style="pointer-events:auto;position:absolute;inset:0 auto 0 80px;width:140px"></i></div>
<button style="left:310px;top:210px">Sticks <b style="position:relative;z-index:2;font-size:8px">out</b></button><div class=over style="left:300px;top:200px"></div>
<button style="left:610px;top:210px">Under a part</button><div style="position:absolute;left:600px;top:200px;width:190px;height:60px;overflow:hidden"><div class=over style="left:0;top:0"></div></div>
<style>#p::after{content:'';position:relative;z-index:2;display:inline-block;width:6px;height:6px;left:-60px}</style>
<button id=p style="left:10px;top:410px">Has a dot</button><div class=over style="left:0;top:400px"></div>`

func TestAimFindsUncoveredPoint(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request,
	) {
		fmt.Fprint(w, holes)
	}))
	defer server.Close()
	raw := collectPage(t, openURL(t, server.URL), Options{})
	for _, name := range []string{
		"Cut out", "Under a circle", "Under a tilted one", "Under corners only", "Sticks out",
		"Under a part", "Has a dot",
	} {
		if n := named(t, raw, name); !n.Usable {
			t.Errorf("%s: %s", name, line(n))
		}
	}
}

func TestFullyCoveredElementsNeedFewHitTests(t *testing.T) {
	page := `<!doctype html><style>.back{position:fixed;inset:0;background:#0008}</style>` +
		strings.Repeat(`<button>Under</button> <a href=#x>Link <i>under</i></a> <label>Field <input></label> `, 10) +
		`<div class=back><div role=dialog aria-label=Cookies><button>Accept</button></div></div>`
	for name, over := range map[string]string{"a fixed layer": page, "a modal dialog": strings.ReplaceAll(
		strings.ReplaceAll(page, `<div class=back><div role=dialog aria-label=Cookies>`,
			`<dialog id=d aria-label=Cookies>`), `</div></div>`, `</dialog><script>d.showModal()</script>`)} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request,
		) {
			fmt.Fprint(w, over)
		}))
		w := openURL(t, server.URL)
		count := `function () { const was = document.elementFromPoint; globalThis.asked = 0; document.elementFromPoint = function (x, y) { globalThis.asked++; return was.call(this, x, y) } }`
		if _, err := w.Call(t.Context(), count); err != nil {
			t.Fatal(err)
		}
		raw := collectPage(t, w, Options{})
		covered := 0
		for _, n := range raw.Nodes {
			if n.CoveredByText == `dialog "Cookies"` && !n.Usable {
				covered++
			}
		}
		asked, err := w.Call(t.Context(), `function () { return globalThis.asked }`)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscan(string(asked), &n); err != nil || n > 10*40 || covered != 30 ||
			!named(t, raw, "Accept").Usable {
			t.Errorf("%s: %d covered by %d questions, %v:\n%s", name, covered, n, err, strings.Join(lines(raw), "\n"))
		}
		server.Close()
	}
}
