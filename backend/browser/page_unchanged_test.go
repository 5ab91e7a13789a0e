package browser_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

// fingerprint is what a page can see of itself: every document's markup with attributes and
// open shadow roots, the names on window, document and the prototypes that scripts like to patch.
const fingerprint = `(() => {
	const seen = []
	const walk = root => {
		seen.push(root.documentElement ? root.documentElement.outerHTML : root.innerHTML)
		for (const e of root.querySelectorAll('*')) {
			if (e.shadowRoot) walk(e.shadowRoot)
			if (e.contentDocument) walk(e.contentDocument)
		}
	}
	walk(document)
	for (const o of [window, document, document.body, Element.prototype, Node.prototype, EventTarget.prototype, HTMLElement.prototype]) {
		seen.push(Reflect.ownKeys(o).map(String).sort().join())
	}
	seen.push([Element.prototype.attachShadow, EventTarget.prototype.addEventListener, document.querySelector].map(String).join())
	seen.push(document.adoptedStyleSheets.length + ' ' + document.styleSheets.length)
	const text = seen.join('\n')
	let a = 0x811c9dc5, b = 5381
	for (let i = 0; i < text.length; i++) {
		a = Math.imul(a ^ text.charCodeAt(i), 0x01000193) >>> 0
		b = (Math.imul(b, 33) + text.charCodeAt(i)) >>> 0
	}
	return text.length + ' ' + a + ' ' + b
})()`

func TestPageIsUnchangedByAnnotateAndActions(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/": `<title>Pure</title><button id=b>Press</button> <input aria-label=Name> <select aria-label=Size><option>S<option>L</select>
			<a href="#x">Link</a><div id=host></div><div id=closed></div><iframe src=/frame></iframe><div style="height:3000px"></div>
			<script>
			document.getElementById('host').attachShadow({mode: 'open'}).innerHTML = '<button>In shadow</button>'
			document.getElementById('closed').attachShadow({mode: 'closed'}).innerHTML = '<button>In closed</button>'
			window.mutations = 0
			new MutationObserver(list => { window.mutations += list.length }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
			</script>`,
		"/frame": `<button>In frame</button>`,
	})
	page := openPage(t, ctx, s, url)
	before := evaluateText(t, ctx, s, fingerprint)
	if n, _, _ := strings.Cut(before, " "); len(n) < 5 {
		t.Fatalf("the fingerprint holds too little: %s", before)
	}
	if same := evaluateText(t, ctx, s, fingerprint); same != before {
		t.Fatalf("the page changes by itself: %s, %s", before, same)
	}
	steps := map[string]func() error{
		"annotate": func() error { _, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"}); return err },
		"query":    func() error { _, err := s.Annotate(ctx, surface.AnnotateOptions{Query: "shadow"}); return err },
		"hover":    func() error { _, err := s.Hover(ctx, findElement(t, page, "button", "Press").ID); return err },
		"click": func() error {
			_, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Press").ID})
			return err
		},
		"screenshot": func() error {
			_, err := s.Screenshot(ctx,
				surface.ScreenshotOptions{Annotated: true})
			return err
		},
		"screenshot of the page": func() error {
			_, err := s.Screenshot(ctx, surface.ScreenshotOptions{FullPage: true})
			return err
		},
		"scroll": func() error { _, err := s.Scroll(ctx, surface.ScrollOptions{Direction: "down"}); return err },
	}
	for name, step := range steps {
		if err := step(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after := evaluateText(t, ctx, s, fingerprint); after != before {
			t.Fatalf("%s left something in the page: %s, before %s", name, after, before)
		}
	}
	if n := evaluateText(t, ctx, s, "window.mutations"); n != "0" {
		t.Errorf("the page saw %s changes", n)
	}
}

// evaluateText evaluates a script in the page's own world and returns its value as text.
func evaluateText(t *testing.T, ctx context.Context, s *browser.Session, script string) string {
	t.Helper()
	got := evaluate(t, ctx, s, script)
	var text string
	if json.Unmarshal([]byte(got), &text) == nil {
		return text
	}
	return got
}
