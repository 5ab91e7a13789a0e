package auth_test

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/goleak"

	"sextant/backend/mcp/auth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// issuer is a real issuer over HTTP that checks what it is sent.
type issuer struct {
	*httptest.Server
	name    string
	expires int
	// frugal gives no refresh tokens; renewing lets one renewal go on with each value, nil all.
	frugal   bool
	renewing chan struct{}
	// metadata replaces members of its metadata, redirect members of its answer to the browser.
	metadata map[string]any
	redirect map[string]string
	// key checks the assertions of clients instead of their ids.
	key crypto.PublicKey

	mu        sync.Mutex
	clients   []string
	codes     map[string]url.Values
	tokens    []string
	refreshed int
	scopes    []string
	seen      []string
}

func newIssuer(t *testing.T, name string, expires int) *issuer {
	t.Helper()
	i := &issuer{name: name, expires: expires, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		meta := map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL +
				"/token", "registration_endpoint": i.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none"},
		}
		maps.Copy(meta, i.metadata)
		answer(w, http.StatusOK, meta)
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked)
		i.mu.Lock()
		defer i.mu.Unlock()
		id := fmt.Sprintf("%s-client-%d", i.name, len(i.clients)+1)
		i.clients = append(i.clients, id)
		asked["client_id"] = id
		answer(w, http.StatusCreated, asked)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		i.mu.Lock()
		defer i.mu.Unlock()
		code := fmt.Sprintf("code-%d", len(i.codes)+1)
		i.codes[code] = q
		i.scopes = append(i.scopes, q.Get("scope"))
		back := url.Values{"code": {code}, "state": {q.Get("state")}}
		for name, value := range i.redirect {
			back.Set(name, value)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) { i.token(w, r, answer) })
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter, int, any)) {
	_ = r.ParseForm()
	if i.renewing != nil && r.PostForm.Get("grant_type") == "refresh_token" {
		<-i.renewing
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen = append(i.seen, r.PostForm.Encode())
	no := func(why string) { answer(w, http.StatusBadRequest, map[string]string{"error": why}) }
	known := slices.Contains(i.clients, r.PostForm.Get("client_id"))
	if i.key != nil {
		_, err := jwt.Parse(r.PostForm.Get("client_assertion"), func(*jwt.Token) (any, error) { return i.key, nil },
			jwt.WithIssuer("mine"), jwt.WithSubject("mine"), jwt.WithAudience(i.URL),
			jwt.WithExpirationRequired(), jwt.WithIssuedAt())
		known = err == nil
	}
	if !strings.HasSuffix(r.PostForm.Get("resource"), "/mcp") || !known {
		no("invalid_client")
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		asked := i.codes[r.PostForm.Get("code")]
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
			no("invalid_grant")
			return
		}
	case "client_credentials":
		if i.key == nil && r.PostForm.Get("client_secret") != "typed" {
			no("invalid_client")
			return
		}
	case "refresh_token":
		if r.PostForm.Get("refresh_token") != i.name+"-refresh-"+fmt.Sprint(len(i.tokens)) {
			no("invalid_grant")
			return
		}
		i.refreshed++
	default:
		no("unsupported_grant_type")
		return
	}
	i.tokens = append(i.tokens, fmt.Sprintf("%s-token-%d", i.name, len(i.tokens)+1))
	scope := map[string]any{"access_token": i.tokens[len(i.tokens)-1], "token_type": "Bearer", "expires_in": i.expires}
	if !i.frugal {
		scope["refresh_token"] = i.name + "-refresh-" + fmt.Sprint(len(i.tokens))
	}
	answer(w, http.StatusOK, scope)
}

// server is a server that wants a token of its issuer, the newest one.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	issuer *issuer
	// scope is what it wants beyond any token, "" for nothing.
	scope string
}

func newServer(t *testing.T, by *issuer) *server {
	t.Helper()
	s := &server{issuer: by}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{
			"resource":              s.URL + "/mcp",
			"authorization_servers": []string{s.issuer.URL}, "scopes_supported": []string{"read"},
		})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.issuer.mu.Lock()
		defer s.issuer.mu.Unlock()
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case len(s.issuer.tokens) == 0 || sent != s.issuer.tokens[len(s.issuer.tokens)-1]:
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		case s.scope != "":
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+s.scope+`"`)
			w.WriteHeader(http.StatusForbidden)
		}
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// person agrees on every page, and counts.
type person struct {
	mu    sync.Mutex
	pages []string
	// does is what else happens before they agree; an error is their answer.
	does func(page string) error
}

func (p *person) open(ctx context.Context, _, page string) error {
	p.mu.Lock()
	p.pages = append(p.pages, page)
	does := p.does
	p.mu.Unlock()
	if does != nil {
		if err := does(page); err != nil {
			return err
		}
	}
	return visit(ctx, page)
}

func (p *person) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pages)
}

func visit(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// vault keeps as guard/secrets does.
type vault struct {
	mu   sync.Mutex
	kept map[string]string
}

func (v *vault) Key(name string) (string, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.kept[name]
	return value, ok
}

func (v *vault) SetKey(name, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if value == "" {
		delete(v.kept, name)
	} else {
		v.kept[name] = value
	}
	return nil
}

// ages makes what is kept for s expire in so long, after an hour's life.
func (v *vault) ages(t *testing.T, in time.Duration) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, value := range v.kept {
		if !strings.HasPrefix(name, "mcp-grant-") {
			continue
		}
		var g map[string]any
		if err := json.Unmarshal([]byte(value), &g); err != nil {
			t.Fatal(err)
		}
		for what, by := range map[string]time.Duration{"expires": in, "got": in - time.Hour} {
			g[what] = time.Now().Add(by)
		}
		text, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		v.kept[name] = string(text)
	}
}

// waited tells when somebody waits for its end.
type waited struct {
	context.Context
	once *sync.Once
	by   chan struct{}
}

func watched(ctx context.Context) waited {
	return waited{Context: ctx, once: &sync.Once{}, by: make(chan struct{})}
}

func (w waited) Done() <-chan struct{} {
	w.once.Do(func() { close(w.by) })
	return w.Context.Done()
}

// unauthorized is a request without a token and its 401.
func unauthorized(t *testing.T, s *server) (*http.Request, *http.Response) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return req, resp
}

func handler(t *testing.T, s *server, p *person, store auth.Store) *auth.Handler {
	t.Helper()
	h := auth.New(auth.Config{Server: "notes", URL: s.URL + "/mcp", Store: store, OpenPage: p.open})
	t.Cleanup(h.Close)
	return h
}

// ask sends one request as the SDK does: with a token where there is one, and once more after a sign-in.
func ask(ctx context.Context, t *testing.T, h *auth.Handler, s *server) (int, error) {
	t.Helper()
	for try := 0; ; try++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		source, err := h.TokenSource(ctx)
		if err != nil {
			return 0, err
		}
		if source != nil {
			token, err := source.Token()
			if err != nil {
				return 0, err
			}
			token.SetAuthHeader(req)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		if try == 1 || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
			_ = resp.Body.Close()
			return resp.StatusCode, nil
		}
		if err := h.Authorize(ctx, req, resp); err != nil {
			return resp.StatusCode, err
		}
	}
}

func mustCall(t *testing.T, h *auth.Handler, s *server) {
	t.Helper()
	if status, err := ask(t.Context(), t, h, s); status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v", status, err)
	}
}
