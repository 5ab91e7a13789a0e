package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/sandbox/egress"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeInternet is a server behind every public name and a guard that leads there. Names that begin
// with "inward" lead to this machine.
type fakeInternet struct {
	*Tools
	settings map[string]string
	// allowed are the addresses of redirects that would not be asked about.
	allowed []string
	now     time.Time
}

const outer = "93.184.216.34"

// LookupNetIP implements egress.Resolver.
func (f *fakeInternet) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case strings.HasPrefix(host, "nowhere"):
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case strings.HasPrefix(host, "inward"):
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{93, 184, 216, 34})}, nil
}

// newFakeInternet serves h under every public name.
func newFakeInternet(t *testing.T, h http.HandlerFunc) *fakeInternet {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	n := &fakeInternet{settings: map[string]string{}, now: time.Unix(0, 0)}
	guard := egress.New(egress.Config{
		Resolver: n,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, outer+":") {
				t.Errorf("%s was dialled", address)
			}
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		},
	})
	t.Cleanup(func() { _ = guard.Close() })
	n.Tools = New(Config{
		Transport: guard.Transport(), Setting: func(name string) string { return n.settings[name] },
		Now: func() time.Time { return n.now },
		IsAllowed: func(_ context.Context, call toolspec.Call) bool {
			for _, a := range n.allowed {
				if strings.Contains(string(call.Args), a) {
					return true
				}
			}
			return false
		},
	})
	return n
}

func callOf(tool string, args any) toolspec.Call {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return toolspec.Call{Tool: tool, Args: b}
}

// do runs a tool.
func (f *fakeInternet) do(t *testing.T, tool string, args map[string]any) toolspec.Result {
	t.Helper()
	r, err := f.Execute(t.Context(), callOf(tool, args), toolspec.Definition{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantText fails the test unless r is a success and its text contains all of want.
func wantText(t *testing.T, r toolspec.Result, want ...string) {
	t.Helper()
	if !r.Success {
		t.Fatalf("it failed: %s (%s)", r.Error, r.Suggestion)
	}
	for _, w := range want {
		if !strings.Contains(r.ModelText(), w) {
			t.Errorf("%q does not say %q", excerpt.TruncateRunes(r.ModelText(), 500), w)
		}
	}
}

// wantError fails the test unless r is a failure of that kind and its text contains all of want.
func wantError(t *testing.T, r toolspec.Result, kind toolspec.ErrorType, want ...string) {
	t.Helper()
	if r.Success || r.ErrorType != kind {
		t.Fatalf("success is %v, kind %q, want %q: %s", r.Success, r.ErrorType, kind, r.ModelText())
	}
	for _, w := range want {
		if !strings.Contains(r.Error+"\n"+r.Suggestion, w) {
			t.Errorf("%q · %q does not say %q", r.Error, r.Suggestion, w)
		}
	}
}

func respond(w io.Writer, format string, a ...any) { _, _ = fmt.Fprintf(w, format, a...) }
