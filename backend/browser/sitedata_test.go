package browser_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/browser"
	"sextant/backend/browser/sitedata"
	"sextant/shared/wire"
)

func TestSiteData(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{
		"/": `<title>Here</title>
			<script>document.cookie = 'a=1'; document.cookie = 'b=2; max-age=99'; localStorage.x = '1'</script>`,
		"/seen": `<script>document.title = document.cookie + ' | ' + localStorage.x</script>`,
	})
	seen := func(at string) string {
		return openPage(t, ctx, s, at+"/seen").Page.Title
	}
	other := otherSite(url)
	for _, at := range []string{url, other} {
		openPage(t, ctx, s, at)
	}
	list, err := sitedata.List(ctx, s.Session)
	want := []wire.SiteData{{Host: "127.0.0.1", Cookies: 2}, {Host: "localhost", Cookies: 2}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := sitedata.Clear(ctx, s.Session, "localhost", []string{other}); err != nil {
		t.Fatal(err)
	}
	if here, there := seen(url), seen(other); here != "a=1; b=2 | 1" || there != "| undefined" {
		t.Errorf("after one site: %q, and of the other %q", there, here)
	}
	openPage(t, ctx, s, other)
	if err := sitedata.ClearAll(ctx, s.Session); err != nil {
		t.Fatal(err)
	}
	if here, there := seen(url), seen(other); here != "| undefined" || there != "| undefined" {
		t.Errorf("after all sites: %q and %q", here, there)
	}
	if list, err = sitedata.List(ctx, s.Session); len(list) != 0 || err != nil {
		t.Errorf("after all sites: %v %v", list, err)
	}
}
