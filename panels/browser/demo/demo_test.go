package demo

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// visitor is a browser without scripts: it keeps cookies and follows redirects.
type visitor struct {
	t    *testing.T
	base string
	http *http.Client
}

func visit(t *testing.T) *visitor {
	t.Helper()
	s := httptest.NewServer(Handler())
	t.Cleanup(s.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, s.URL, &http.Client{Jar: jar}}
}

func (v *visitor) read(res *http.Response, err error) (*http.Response, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res, string(b)
}

func (v *visitor) get(path string) (*http.Response, string) {
	v.t.Helper()
	return v.read(v.http.Get(v.base + path))
}

func (v *visitor) post(path string, fields ...string) (*http.Response, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.read(v.http.PostForm(v.base+path, form))
}

func wantParts(t *testing.T, body string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(body, w) {
			t.Errorf("the page does not hold %q", w)
		}
	}
}

func TestLinksStayInShop(t *testing.T) {
	t.Parallel()
	v := visit(t)
	link := regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
	seen, queue := map[string]bool{"/": true}, []string{"/"}
	for len(queue) > 0 {
		page := queue[0]
		queue = queue[1:]
		res, body := v.get(page)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d", page, res.StatusCode)
		}
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(body, -1) {
			target := strings.ReplaceAll(m[1], "&amp;", "&")
			if strings.HasPrefix(target, "#") {
				continue
			}
			if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
				t.Errorf("%s leads out of the shop to %q", page, target)
				continue
			}
			if !seen[target] {
				seen[target] = true
				queue = append(queue, target)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d addresses were found", len(seen))
	}
}

func TestShopLoadsNothingFromOtherHosts(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, page := range []string{"/lamps/desk", "/product/fen", "/checkout", "/static/shop.css", "/static/shop.js"} {
		t.Run(page, func(t *testing.T) {
			res, body := v.get(page)
			if m := regexp.MustCompile(`https?://[^"'\s]+`).FindString(body); m != "" &&
				!strings.HasPrefix(m, "http://www.w3.org/") {
				t.Errorf("loads %s", m)
			}
			if !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Error("no policy forbids it")
			}
		})
	}
	if _, body := v.get("/lamps/desk"); strings.Contains(body, " style=") || strings.Contains(body, "<script>") {
		t.Error("the page holds inline style or script, which its own policy refuses")
	}
}

func TestFilterAndSort(t *testing.T) {
	t.Parallel()
	v := visit(t)
	name := regexp.MustCompile(`<h2>([^<]+)</h2>`)
	names := func(query string) string {
		_, body := v.get("/lamps/desk" + query)
		var out []string
		for _, m := range name.FindAllStringSubmatch(body, -1) {
			out = append(out, m[1])
		}
		return strings.Join(out, " ")
	}
	for query, want := range map[string]string{
		"":                          "Fen Moor Sedge Tarn Heath Bog Ridge Loam Scree",
		"?max=80&stock=1":           "Fen Moor Sedge Tarn Heath Bog",
		"?stock=1":                  "Fen Moor Sedge Tarn Heath Bog Ridge Scree",
		"?max=80&dim=1":             "Moor Sedge Tarn",
		"?max=80&dim=1&sort=price":  "Moor Tarn Sedge",
		"?dim=1&sort=price-down":    "Scree Ridge Loam Sedge Tarn Moor",
		"?max=80&sort=name":         "Bog Fen Heath Moor Sedge Tarn",
		"?sort=nonsense&max=1&x=%3": "Fen Moor Sedge Tarn Heath Bog Ridge Loam Scree",
	} {
		t.Run(query, func(t *testing.T) {
			if got := names(query); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	_, body := v.get("/lamps/desk?max=80&stock=1")
	wantParts(t, body, "Six that fit your filters.", `name="max" value="80" checked`)
	_, body = v.get("/search?q=oak")
	wantParts(t, body, "2 results for “oak”.", "Tarn", "Bog")
}

func TestDeliveryDateIsDeterministic(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for code, want := range map[string]string{
		"10437": "Reaches 10437 in 1 working day.",
		"80331": "Reaches 80331 in 3 working days.",
		"1043":  "A postcode has five digits, e.g. 10115.",
		"abcde": "A postcode has five digits, e.g. 10115.",
	} {
		t.Run(code, func(t *testing.T) {
			_, body := v.get("/lamps/desk?postcode=" + code)
			wantParts(t, body, want)
		})
	}
}

func TestBasket(t *testing.T) {
	t.Parallel()
	v := visit(t)
	res, body := v.post("/basket", "product", "fen", "pieces", "1", "back", "/lamps/desk?max=80")
	if res.Request.URL.RequestURI() != "/lamps/desk?max=80" {
		t.Errorf("came back to %s", res.Request.URL)
	}
	wantParts(t, body, `Basket (<span id="count">1</span>)`)
	v.post("/basket", "product", "fen", "pieces", "1")
	_, body = v.post("/basket", "product", "moor", "pieces", "3")
	wantParts(t, body, `<span id="count">5</span>`, "144 €", "192 €", "336 €")
	_, body = v.post("/basket", "product", "moor", "pieces", "1", "do", "set")
	wantParts(t, body, `<span id="count">3</span>`, "208 €")
	_, body = v.post("/basket", "product", "fen", "pieces", "0", "do", "set")
	if strings.Contains(body, "Number of Fen") {
		t.Error("what was taken out is still there")
	}
	if res, _ := v.post("/basket", "product", "unknown", "pieces", "1"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown product answers %d", res.StatusCode)
	}
	_, body = v.post("/basket", "product", "moor", "pieces", "999999")
	wantParts(t, body, `<span id="count">9</span>`)
	_, body = v.post("/basket", "product", "loam", "pieces", "1")
	if strings.Contains(body, "Loam") {
		t.Error("what is not in stock was sold")
	}
}

func TestBasketCountForScripts(t *testing.T) {
	t.Parallel()
	v := visit(t)
	req, err := http.NewRequest(http.MethodPost, v.base+"/basket", strings.NewReader("product=bog&pieces=2"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	_, body := v.read(v.http.Do(req))
	wantParts(t, body, `"count":2`, "Bog is in your basket.")
}

func TestOrderShowsThankYouPage(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.post("/basket", "product", "fen", "pieces", "1")
	_, body := v.get("/checkout")
	wantParts(t, body, `name="items" value="fen.1"`)

	res, body := v.post("/checkout", "items", "fen.1", "name", "Ana", "email", "ana", "postcode", "1")
	if res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a half-filled form answers %d", res.StatusCode)
	}
	wantParts(t, body, "An address looks like ana@example.com.", "Street and number is missing.", "five digits",
		`value="Ana"`)

	// Without the cookie: the form itself carries what is ordered.
	v.http.Jar = nil
	res, body = v.post("/checkout", "items", "fen.1", "name", "Ana", "email", "ana@example.com", "street", "Weg 1",
		"postcode", "10437", "city", "Berlin")
	if res.Request.URL.Path != "/thanks" {
		t.Fatalf("ended on %s with %d", res.Request.URL, res.StatusCode)
	}
	wantParts(t, body, "Thank you, Ana", "Order AF-")
	if res, _ = v.post("/checkout", "items", "", "name", "Ana"); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an empty order answers %d", res.StatusCode)
	}
}

func TestMessageShowsThankYouPage(t *testing.T) {
	t.Parallel()
	v := visit(t)
	_, body := v.post("/contact", "name", "Ana", "email", "a@b.de", "message", "Hello", "day", "tomorrow")
	wantParts(t, body, "A day looks like 2026-12-04.", "Hello</textarea>")
	res, body := v.post("/contact", "name", "Ana", "email", "a@b.de", "message", "Hello", "day", "2026-12-04")
	if res.Request.URL.Path != "/thanks" {
		t.Errorf("ended on %s", res.Request.URL)
	}
	wantParts(t, body, "Thank you, Ana")
}

func TestInputIsEscaped(t *testing.T) {
	t.Parallel()
	v := visit(t)
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	q := url.QueryEscape(evil)
	for _, page := range []string{
		"/search?q=" + q, "/lamps/desk?postcode=" + q + "&sort=" + q,
		"/delivery?postcode=" + q, "/thanks?name=" + q + "&order=" + q, "/product/" + q, "/" + q,
	} {
		t.Run(page, func(t *testing.T) {
			if _, body := v.get(page); strings.Contains(body, "<script>alert") || strings.Contains(body, "<img") {
				t.Error("markup is not escaped")
			}
		})
	}
	for _, page := range []string{"/checkout", "/contact"} {
		if _, body := v.post(page, "name", evil, "email", evil, "street", evil, "message", evil, "items", evil, "day",
			evil); strings.Contains(body, "<script>alert") {
			t.Errorf("%s lets markup through", page)
		}
	}
}

func TestBackLinkStaysInShop(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/lamps/desk?a=1":     "/lamps/desk?a=1",
		"https://evil.test/":  "/basket",
		"//evil.test/":        "/basket",
		`/\evil.test`:         "/basket",
		`\\evil.test`:         "/basket",
		"javascript:alert(1)": "/basket",
		"":                    "/basket",
		"lamps":               "/basket",
	} {
		t.Run(in, func(t *testing.T) {
			if got := localPath(in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestLargeFormsAreRefused(t *testing.T) {
	t.Parallel()
	v := visit(t)
	if res, _ := v.post("/contact", "message", strings.Repeat("a",
		2*maxForm)); res.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", res.StatusCode)
	}
	if res, _ := v.read(v.http.Post(v.base+"/lamps/desk", "text/plain", nil)); res.StatusCode < 400 {
		t.Errorf("a post to a page answers %d", res.StatusCode)
	}
}
