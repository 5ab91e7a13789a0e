package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/tools/shell"
	"sextant/shared/toolspec"
)

// publicResolver resolves every name to an address outside, but those of gone.
type publicResolver struct{}

func (publicResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if strings.HasPrefix(host, "gone.") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// newProxiedBench is a bench with a proxy that sends every host to site, and asks decide.
func newProxiedBench(
	t *testing.T, decide func(ctx context.Context, host string) error,
) (b *bench, asked func() []string) {
	t.Helper()
	b = newBench(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_,
			_ = fmt.Fprintf(w, "page of %s\n", r.Host)
	}))
	t.Cleanup(site.Close)
	guard := egress.New(egress.Config{
		Resolver: publicResolver{},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, site.Listener.Addr().String())
		},
	})
	t.Cleanup(func() { _ = guard.Close() })
	c := confine.New(confine.Config{Home: b.home})
	if !c.IsolatesNetwork() {
		t.Skip("no network of a run's own here")
	}
	var mu sync.Mutex
	var hosts []string
	b.tools = shell.New(shell.Config{
		Folder: func() string { return b.ws }, Home: b.home,
		Places: protectedpaths.New(protectedpaths.OwnFolders{Home: b.home}), Sandbox: c, ForbiddenPaths: noRules,
		Egress: guard, CheckHost: func(ctx context.Context, _ toolspec.Call, host string) error {
			mu.Lock()
			hosts = append(hosts, host)
			mu.Unlock()
			return decide(ctx, host)
		},
	})
	return b, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(hosts) }
}

func (b *bench) networked(command string) toolspec.Result {
	b.t.Helper()
	return b.call(b.t.Context(), map[string]any{"command": command, "network": true})
}

func TestNewHostNeedsOneApproval(t *testing.T) {
	b, asked := newProxiedBench(t, func(_ context.Context, host string) error {
		if host == "fine.test" {
			return nil
		}
		return errors.New("declined by the person")
	})
	r := b.networked("curl -sS http://named.test/; h=$(printf fine); curl -sS http://$h.test/ http://$h.test/again; " +
		"curl -sS http://$(printf ba)d.test/$h; curl -sS http://$(printf ba)d.test/")
	for _, want := range []string{
		"page of named.test", "page of fine.test",
		"Sextant: bad.test was not reached: declined by the person", "Not reached: bad.test (declined by the person)",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer does not say %q: %s", want, r.Text)
		}
	}
	if got := asked(); !slices.Equal(got, []string{"fine.test"}) &&
		!slices.Equal(got, []string{"fine.test", "bad.test"}) {
		t.Errorf("asked for %q", got)
	}
	if hosts, _ := value(r, "hosts").([]string); !slices.Contains(hosts, "fine.test") ||
		slices.Contains(hosts, "evil.test") {
		t.Errorf("hosts %v", value(r, "hosts"))
	}
	if !slices.Equal(r.Sources, []string{"a command with network"}) {
		t.Errorf("sources %q", r.Sources)
	}
}

func TestFailedConnectionsAreReported(t *testing.T) {
	b, _ := newProxiedBench(t, func(context.Context, string) error { return nil })
	r := b.networked("curl -sS https://$(printf go)ne.test/; curl -sS http://$(printf he)re.test/")
	for _, want := range []string{
		"response 502",
		"A connection failed: gone.test was not found. The name has no address.", "page of here.test",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer does not say %q: %s", want, r.Text)
		}
	}
	if strings.Contains(r.Text, "failed: here.test") {
		t.Errorf("a reached host is reported as not reached: %s", r.Text)
	}
}

func TestDescriptionOfLimitedNetwork(t *testing.T) {
	b, _ := newProxiedBench(t, func(context.Context, string) error { return nil })
	describe := func(command string) toolspec.Description {
		args, err := json.Marshal(map[string]any{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return b.tools.Describe(toolspec.Call{Tool: "bash", Args: args})
	}
	if d := describe("curl https://a.example/x"); !d.HostsLimited || !slices.Equal(d.Hosts, []string{"a.example"}) {
		t.Errorf("%+v", d)
	}
	if d := describe("ls"); d.HostsLimited {
		t.Errorf("a command without network: %+v", d)
	}
}

func TestOpenApprovalEndsWithCommand(t *testing.T) {
	waiting, ended := make(chan struct{}, 8), make(chan error, 8)
	b, _ := newProxiedBench(t, func(ctx context.Context, _ string) error {
		waiting <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	// The command gives up.
	r := b.networked("curl -sS --max-time 1 http://$(printf sl)ow.test/; echo over")
	if !r.Success || !strings.Contains(r.Text, "over") {
		t.Errorf("%+v", r)
	}
	<-waiting
	if err := <-ended; err == nil {
		t.Error("the question goes on")
	}
	// The person stops it.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan toolspec.Result)
	go func() {
		done <- b.call(ctx, map[string]any{"command": "curl -sS http://$(printf sl)ow.test/", "network": true})
	}()
	<-waiting
	cancel()
	if r := <-done; r.Success || value(r, "cancelled") != true {
		t.Errorf("%+v", r)
	}
	if err := <-ended; err == nil {
		t.Error("the question goes on")
	}
}

func TestCommonProgramsUseTheProxy(t *testing.T) {
	b, asked := newProxiedBench(t, func(context.Context, string) error { return errors.New("not today") })
	ran := 0
	for _, p := range []struct{ program, command, host string }{
		{"curl", "curl -sS https://$(printf cu)rl.test/", "curl.test"},
		{"wget", "wget -q -t1 -O- https://$(printf wg)et.test/", "wget.test"},
		{"git", "git ls-remote https://$(printf gi)t.test/a.git", "git.test"},
		{"python3", `python3 -c 'import urllib.request as r; r.urlopen("https://py"+"thon.test/")'`, "python.test"},
		{"pip", "pip download --retries 0 --index-url https://$(printf pi)p.test/simple nothing", "pip.test"},
		{"npm", "npm view --fetch-retries=0 --registry=https://$(printf np)m.test nothing", "npm.test"},
		{"go", "cd $TMPDIR && GOPROXY=https://$(printf go)lang.test GOSUMDB=off GOFLAGS=-mod=mod go list -m " +
			"example.com/x@latest", "golang.test"},
	} {
		if r := b.run("command -v " + p.program + " && " + p.program + " --version || " + p.program +
			" version"); value(r, "exit_code") != 0 {
			t.Logf("there is no %s here", p.program)
			continue
		}
		ran++
		r := b.networked(p.command)
		if !slices.Contains(asked(), p.host) {
			t.Errorf("%s does not come to the proxy: %s", p.program, r.Text)
		}
	}
	if ran < 3 {
		t.Errorf("only %d programs are here", ran)
	}
}
