package browser_test

import (
	"context"
	"strings"
	"testing"

	"sextant/backend/surface"
)

const framedPage = `<title>Shop</title><input aria-label=Here><input type=password aria-label=Word>
<textarea aria-label=Dots style="-webkit-text-security:disc"></textarea>
<iframe src="OTHER/inner" width=300 height=80></iframe>
<iframe srcdoc="<input aria-label=Written>" width=300 height=80></iframe>
<iframe name=lent width=300 height=80></iframe><script>lent.document.body.innerHTML = '<input aria-label=Lent>'</script>`

func TestElementOriginAndSecretInput(t *testing.T) {
	ctx, s := session(t)
	pages := map[string]any{"/inner": `<input aria-label=There>`, "/two": `<title>Two</title>`}
	url := site(t, pages)
	pages["/"] = strings.Replace(framedPage, "OTHER", otherSite(url), 1)
	ans := openPage(t, ctx, s, url)
	for name, want := range map[string]surface.ElementOrigin{
		"Here": {Origin: url}, "There": {Origin: otherSite(url)}, "Written": {Origin: url}, "Lent": {Origin: url},
		"Word": {Origin: url, Secret: true}, "Dots": {Origin: url, Secret: true},
	} {
		if got := s.OriginOf(findElement(t, ans, "textbox", name).ID); got != want {
			t.Errorf("%s has origin %+v, want %+v", name, got, want)
		}
	}
	here := findElement(t, ans, "textbox", "Here").ID
	if got := s.OriginOf(here + 1_000_000); got != (surface.ElementOrigin{Secret: true}) {
		t.Errorf("a number never given: %+v", got)
	}
	if got := shared.Session(t.Name() + " other").OriginOf(here); got.Origin != "" || !got.Secret || got.Gone {
		t.Errorf("another session's number: %+v", got)
	}
	openPage(t, ctx, s, url+"/two")
	if got := s.OriginOf(here); !got.Gone {
		t.Errorf("after the page was left: %+v", got)
	}
}

func TestUnmaskedPasswordFieldStaysSecret(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>-</title><input type=password aria-label=Word id=w><button onclick="w.type='text'">Show</button>`})
	ans := openPage(t, ctx, s, url)
	word := findElement(t, ans, "textbox", "Word").ID
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, ans, "button", "Show").ID}); err != nil {
		t.Fatal(err)
	}
	if !s.OriginOf(word).Secret {
		t.Error("what is typed into it is shown now")
	}
}

func TestLinksOfActivePageOnly(t *testing.T) {
	ctx, s := session(t)
	if s.HasLink("https://shop.example/") {
		t.Error("a session without a page offers a link")
	}
	pages := map[string]any{
		"/inner": `<a href=/deep>Deep</a>`, "/two": `<title>Two</title>`,
		"/loud": `<title>Loud</title><a href=/far>x</a><button onclick="alert(1)">Say</button>`,
	}
	url := site(t, pages)
	pages["/"] = `<title>-</title><a href="/a?q=1#end">A</a><div style="height:9000px"></div><map name=m><area href=/spot></map><a href=far>Far</a>
<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<a href=/shadow>S</a>'</script><iframe src="` + otherSite(url) + `/inner"></iframe>`
	openPage(t, ctx, s, url)
	for address, want := range map[string]bool{
		"/a?q=1#end": true, "/far": true, "/spot": true, "/shadow": true,
		"/a?q=1": false, "/a?q=2#end": false, "/": false, "/two": false,
	} {
		if s.HasLink(url+address) != want {
			t.Errorf("%s: got %v", address, !want)
		}
	}
	if !s.HasLink(otherSite(url) + "/deep") {
		t.Error("the link in the frame is not offered")
	}
	if s.HasLink("no address") || s.HasLink("") {
		t.Error("what is no address is offered")
	}
	ans := openPage(t, ctx, s, url+"/loud")
	if s.HasLink(url + "/a?q=1#end") {
		t.Error("the page before still offers its link")
	}
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, ans, "button", "Say").ID}); err != nil {
		t.Fatal(err)
	}
	if s.HasLink(url + "/far") {
		t.Error("a page without links offers a link")
	}
	if _, err := s.PressKey(context.WithoutCancel(ctx), "Enter"); err != nil {
		t.Fatal(err)
	}
}

func TestFocusedElementReceivesKeys(t *testing.T) {
	ctx, s := session(t)
	if got := s.KeyTargets(); got != nil {
		t.Errorf("a session without a page: %v", got)
	}
	pages := map[string]any{"/inner": `<input aria-label=There>`}
	url := site(t, pages)
	pages["/"] = `<title>-</title><input aria-label=Here><iframe width=300 height=80 src="` + otherSite(url) +
		`/inner"></iframe>`
	ans := openPage(t, ctx, s, url)
	for _, c := range []struct{ click, want string }{
		{"", url + "/"},
		{"There", otherSite(url) + "/inner"},
		{"Here", url + "/"},
	} {
		if c.click != "" {
			field := findElement(t, ans, "textbox", c.click)
			if _, err := s.Click(ctx, surface.ClickOptions{ID: field.ID}); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.KeyTargets(); len(got) != 1 || got[0] != c.want {
			t.Errorf("after a click on %q: %v, want %s", c.click, got, c.want)
		}
	}
}

func TestSignedIn(t *testing.T) {
	ctx, s := session(t)
	pages := map[string]any{}
	url := site(t, pages)
	for name, c := range map[string]struct {
		html string
		want bool
	}{
		"link":               {`<a href="/account/logout?x=1">Bye</a>`, true},
		"form":               {`<form action="/users/sign_out" method=post><button>Bye</button></form>`, true},
		"button":             {`<button> Sign out </button>`, true},
		"other language":     {`<button aria-label="Se déconnecter">×</button>`, true},
		"in a closed menu":   {`<div hidden><a href=#>Abmelden</a></div>`, true},
		"capitals":           {`<a href="https://accounts.example/SignOutOptions?x=1">Account</a>`, true},
		"escaped":            {`<a href="/log%20out">Bye</a>`, true},
		"with a name":        {`<button>Log out @ada</button>`, true},
		"submit button":      {`<form><input type=submit value="Sign out"></form>`, true},
		"role":               {`<div role=button aria-label="">Sign out</div>`, true},
		"in a frame":         {`<iframe srcdoc="<a href='/logoff'>x</a>"></iframe>`, true},
		"in a shadow root":   {`<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<button>Log out</button>'</script>`, true},
		"sign in":            {`<a href="/login">Log in</a> <a href="/signup">Sign up</a>`, false},
		"text about it":      {`<p>Log out</p><a href="/help">How to log out of your account</a>`, false},
		"parts of words":     {`<a href="/catalog-out-of-stock">1</a> <a href="/design-out-of-africa">2</a>`, false},
		"word that contains": {`<a href="/logoutfits">Outfits</a> <a href="/blog/outdoor">Blog</a>`, false},
	} {
		pages["/"] = `<!doctype html><title>-</title>` + c.html
		openPage(t, ctx, s, url)
		if got := s.SignedIn(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
