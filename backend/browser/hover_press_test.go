package browser_test

import (
	"strings"
	"testing"

	"sextant/backend/surface"
)

// The pages change under the pointer, before the button goes down.
func TestClickedIsOnlySaidOfWhatGotThePress(t *testing.T) {
	ctx, s := session(t)
	const dot = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
	for name, html := range map[string]string{
		"picture": `<style>#x:hover { content: url(` + dot + `) }</style><button id=x>X</button>`,
		"runs":    `<style>#x { position: relative }</style><button id=x onmouseenter="this.style.left = '300px'">X</button>`,
		"once":    `<style>#x { position: relative }</style><button id=x onmouseenter="this.style.left = '300px'; this.onmouseenter = null">X</button>`,
		"late":    `<style>#x { position: relative; transition: left .3s; left: 0 } #x:hover { left: 300px }</style><button id=x>X</button>`,
		"layer": `<style>div { position: relative; display: inline-block } i { display: none; position: absolute; inset: 0 }
			div:hover i { display: block }</style><div><button id=x>X</button><i></i></div>`,
		"empty":   `<button id=x onmouseenter="this.style.padding = this.style.border = 0; this.textContent = ''">X</button>`,
		"hides":   `<button id=x onmouseover="this.style.visibility = 'hidden'">X</button>`,
		"unhooks": `<button id=x onmouseover="this.remove()">X</button>`,
		"swaps":   `<button id=x onmouseover="this.replaceWith(Object.assign(document.createElement('button'), { textContent: 'Y', onclick: () => other++ }))">X</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			page := openPage(t, ctx, s, site(t, map[string]any{"/": html + `<script>
				window.got = window.other = 0
				document.getElementById('x').addEventListener('click', () => { got++ })</script>`}))
			ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "X").ID})
			raw, evalErr := s.EvalForTest(ctx, `got + ' ' + other`)
			if evalErr != nil {
				t.Fatal(evalErr)
			}
			got := strings.Trim(string(raw), `"`)
			t.Logf("%s: %q, %v", got, ans.Outcome, err)
			if (name == "picture" || name == "once") && err != nil {
				t.Errorf("the button can be pressed: %v", err)
			}
			if said := err == nil && strings.HasPrefix(ans.Outcome, "clicked"); said != (got == "1 0") {
				t.Errorf("clicks of the button and of others: %s; outcome %q, error %v", got, ans.Outcome, err)
			}
		})
	}
}
