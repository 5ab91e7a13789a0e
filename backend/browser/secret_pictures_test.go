package browser_test

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

// countRed counts the pixels of a picture that are as red as the page's text.
func countRed(t *testing.T, p surface.Picture) (n int) {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, blue, _ := img.At(x, y).RGBA(); r > 0xb000 && g < 0x6000 && blue < 0x4000 {
				n++
			}
		}
	}
	return n
}

// TestTypedSecretIsCoveredInScreenshot types into a page and a frame whose text is red, and
// which repeat what they get, split and whole, also below a shadow root.
func TestTypedSecretIsCoveredInScreenshot(t *testing.T) {
	ctx, s := session(t)
	const form = `<!doctype html><style>input, p, div { color: red; caret-color: transparent; font: 20px monospace }</style><title>-</title>
<input aria-label=%NAME%><p id=whole></p><p id=split></p><div id=host></div><script>
const root = host.attachShadow({mode: 'open'})
document.querySelector('input').oninput = (e) => {
  whole.textContent = 'got ' + e.target.value
  split.innerHTML = [...e.target.value].map((c) => '<b>' + c + '</b>').join('')
  root.innerHTML = '<p style="color:red">inside</p>'; root.firstChild.textContent = e.target.value
}</script>`
	url := site(t, map[string]any{
		"/frame": strings.ReplaceAll(form, "%NAME%", "Framed"),
		"/": strings.ReplaceAll(form, "%NAME%", "Key") +
			`<div style="height:60px"></div><iframe src=/frame style="width:500px;height:300px;margin-left:90px"></iframe>`,
	})
	page := openPage(t, ctx, s, url)
	origin := strings.TrimSuffix(url, "/")
	shots := []surface.ScreenshotOptions{
		{},
		{Annotated: false, FullPage: true},
		{MaxTokens: 400},
		{ID: findElement(t, page, "textbox", "Key").ID},
	}
	for i, name := range []string{"Key", "Framed"} {
		id := findElement(t, page, "textbox", name).ID
		if _, err := s.Type(ctx, surface.TypeOptions{ID: id, Text: "plain words", Clear: true}); err != nil {
			t.Fatal(err)
		}
		before, err := s.Screenshot(ctx, surface.ScreenshotOptions{})
		if err != nil || countRed(t, before) < 50 {
			t.Fatalf("%s: harmless text does not show: %d, %v", name, countRed(t, before), err)
		}
		secret := []string{"lantern8-of-ana", "candle77-of-bob"}[i]
		a, err := s.Type(ctx, surface.TypeOptions{ID: id, Text: secret, Clear: true, SecretFor: origin})
		if err != nil || strings.Contains(a.Outcome, secret) {
			t.Fatalf("%s: %q, %v", name, a.Outcome, err)
		}
	}
	for _, o := range shots {
		p, err := s.Screenshot(ctx, o)
		if n := countRed(t, p); err != nil || n > 4 {
			t.Errorf("%+v shows %d pixels of a secret, %v", o, n, err)
		}
	}
	var fault *surface.Fault
	if _, err := s.PrintPDF(ctx, browser.PDFOptions{}); !errors.As(err, &fault) ||
		!strings.Contains(fault.Message, "secret") {
		t.Errorf("a PDF of the secret: %v", err)
	}
	for _, name := range []string{"Key", "Framed"} {
		if _, err := s.Type(ctx, surface.TypeOptions{
			ID: findElement(t, page, "textbox", name).ID, Text: "plain words",
			Clear: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	after, err := s.Screenshot(ctx, surface.ScreenshotOptions{})
	if err != nil || countRed(t, after) < 50 {
		t.Errorf("the field is still covered when the secret is gone: %d, %v", countRed(t, after), err)
	}
}

func TestSecretIsTypedOnlyIntoItsOrigin(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>-</title><input aria-label=Key>`})
	page := openPage(t, ctx, s, url)
	var fault *surface.Fault
	_, err := s.Type(ctx, surface.TypeOptions{
		ID: findElement(t, page, "textbox", "Key").ID, Text: "lantern8-of-ana",
		Clear: true, SecretFor: "https://bank.example",
	})
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "nothing was typed") ||
		strings.Contains(fault.Message, "lantern") {
		t.Errorf("%v", err)
	}
	if e, _ := s.Element(findElement(t, page, "textbox", "Key").ID); e.Value != "" {
		t.Errorf("the field holds %q", e.Value)
	}
}
