package egress

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"sextant/backend/policy/address"
)

// checkCase is a URL and part of the error that Check returns, "" for none.
type checkCase struct{ url, want string }

func testCheck(t *testing.T, cases []checkCase) {
	t.Helper()
	known := map[string][]string{
		"public.example":      {"93.184.216.34"},
		"inward.example":      {"127.0.0.1"},
		"lan.example":         {"192.168.1.10"},
		"mixed.example":       {"10.0.0.1", "93.184.216.34"},
		"xn--bcher-kva.de":    {"93.184.216.34"},
		"under_score.example": {"93.184.216.34"},
	}
	g := newGuard(t, known)
	for _, c := range cases {
		name := c.url[:min(len(c.url), 60)]
		t.Run(name, func(t *testing.T) {
			err := g.Check(t.Context(), c.url)
			if c.want == "" {
				if err != nil {
					t.Fatalf("blocked: %v", err)
				}
				return
			}
			var blocked *BlockedError
			if !errors.As(err, &blocked) {
				t.Fatalf("got %v, want a BlockedError with %q", err, c.want)
			}
			if !strings.Contains(blocked.Error(), c.want) {
				t.Errorf("got %q, want %q in it", blocked, c.want)
			}
			if blocked.Host == "" && c.url != "" || blocked.Suggestion == "" {
				t.Errorf("host or suggestion is missing: %#v", blocked)
			}
		})
	}
}

func TestCheckAllowsPublicAddresses(t *testing.T) {
	testCheck(t, []checkCase{
		{"https://public.example/a?b=c#d", ""},
		{"http://PUBLIC.example./", ""},
		{"https://bücher.de/", ""},
		{"https://under_score.example/", ""},
		{"https://8.8.8.8/", ""},
		{"https://[2606:4700::1111]/", ""},
		{"https://nobody-knows.example/", ""},
		{"https://mixed.example/", ""},
	})
}

func TestCheckBlocksNonPublicAddresses(t *testing.T) {
	testCheck(t, []checkCase{
		{
			"http://127.0.0.1:8080/",
			"127.0.0.1:8080 is blocked: it is this machine. Type the address yourself, or start Sextant with " +
				"--allow-hosts 127.0.0.1.",
		},
		{"http://localhost/", "this machine"},
		{"http://LOCALHOST./", "this machine"},
		{"http://deep.under.localhost/", "this machine"},
		{"http://inward.example/", "it resolves to 127.0.0.1, and that is this machine"},
		{"http://lan.example/", "private network"},
		{"http://10.1.2.3/", "private network"},
		{"http://172.16.0.1/", "private network"},
		{"http://192.168.0.1/", "private network"},
		{"http://169.254.169.254/latest/meta-data/", "link-local"},
		{"http://100.100.100.200/", "provider's shared network"},
		{"http://168.63.129.16/", "cloud"},
		{"http://0.0.0.0/", "this machine"},
		{"http://0.1.2.3/", "this machine"},
		{"http://224.0.0.1/", "multicast"},
		{"http://255.255.255.255/", "special use"},
		{"http://192.0.2.1/", "special use"},
	})
}

func TestCheckNormalizesIPv4LikeBrowsers(t *testing.T) {
	testCheck(t, []checkCase{
		{"http://2130706433/", "this machine"},
		{"http://0x7f000001/", "this machine"},
		{"http://0x7f.1/", "this machine"},
		{"http://017700000001/", "this machine"},
		{"http://127.1/", "this machine"},
		{"http://127.000.000.001/", "this machine"},
		{"http://127.0.0.1/", "this machine"},
		{"http://①27.0.0.1/", "this machine"},
		{"http://1.2.3.4.5/", "not a host"},
		{"http://256.1.1.1/", "not a host"},
	})
}

func TestCheckReadsIPv6Forms(t *testing.T) {
	testCheck(t, []checkCase{
		{"http://[::1]/", "this machine"},
		{"http://[0:0:0:0:0:0:0:1]/", "this machine"},
		{"http://[::]/", "this machine"},
		{"http://[::ffff:127.0.0.1]/", "this machine"},
		{"http://[::ffff:7f00:1]/", "this machine"},
		{"http://[::127.0.0.1]/", "contains 127.0.0.1"},
		{"http://[64:ff9b::7f00:1]/", "contains 127.0.0.1"},
		{"http://[64:ff9b::808:808]/", ""},
		{"http://[2002:a00:1::]/", "contains 10.0.0.1"},
		{"http://[2001:0:1::1]/", "special use"},
		{"http://[fd00:ec2::254]/", "private network"},
		{"http://[fe80::1]/", "link-local"},
		{"http://[fe80::1%25lo]/", "link-local"},
		{"http://[fec0::1]/", "private network"},
		{"http://[ff02::1]/", "multicast"},
	})
}

func TestCheckIgnoresUserInfoAndRefusesMalformedHosts(t *testing.T) {
	testCheck(t, []checkCase{
		{"http://public.example@127.0.0.1/", "this machine"},
		{"http://public.example:80@localhost/", "this machine"},
		{"http://127.0.0.1\\@public.example/", "not a web address"},
		{"http://public.example\\@127.0.0.1/", "not a web address"},
		{"http://127.0.0.1%2f.public.example/", "not a web address"},
		{"http://exa mple/", "not a web address"},
		{"http://public.example:0/", "not a port"},
		{"http://public.example:99999/", "not a port"},
		{"http:///path", "not a host"},
		{"http://-/", ""},
	})
}

func TestCheckAllowsOnlyHTTP(t *testing.T) {
	testCheck(t, []checkCase{
		{"file:///etc/passwd", "only http and https"},
		{"chrome://settings", "only http and https"},
		{"javascript:alert(1)", "only http and https"},
		{"data:text/html,x", "only http and https"},
		{"view-source:https://public.example/", "only http and https"},
		{"blob:https://public.example/1", "only http and https"},
		{"ws://public.example/", "only http and https"},
		{"about:blank", "only http and https"},
		{"public.example", "only http and https"},
		{"//public.example/", "only http and https"},
		{"http:public.example", "only http and https"},
		{"", "only http and https"},
		{"http://public.example/" + strings.Repeat("a", 1<<17), "longer than 64 KB"},
	})
}

func TestAllowAllowsOnlyThatName(t *testing.T) {
	known := map[string][]string{"inward.example": {"127.0.0.1"}, "lan.example": {"192.168.1.10"}}
	cases := []struct {
		host, url string
		allowed   bool
	}{
		{"127.0.0.1", "http://127.0.0.1:3000/", true},
		{"127.0.0.1", "http://2130706433:3000/", true}, // the same address, written differently
		{"127.0.0.1", "http://[::ffff:127.0.0.1]/", true},
		{"127.0.0.1", "http://127.0.0.2/", false},
		{"127.0.0.1", "http://localhost/", false},
		{"127.0.0.1", "http://inward.example/", false}, // another name for this machine
		{"127.0.0.1:3000", "http://127.0.0.1:3000/", true},
		{"127.0.0.1:3000", "http://127.0.0.1:3001/", false},
		{"localhost", "http://localhost:9/", true},
		{"LocalHost.", "http://localhost/", true},
		{"localhost", "http://app.localhost/", false},
		{"localhost:80", "http://localhost/", true},
		{"localhost:80", "https://localhost/", false},
		{"::1", "http://[::1]:8080/", true},
		{"[::1]:8080", "http://[::1]:8080/", true},
		{"[::1]:8080", "http://[::1]/", false},
		{"lan.example", "https://lan.example/", true},
		{"http://lan.example:8080/page", "http://lan.example:8080/", true},
		{"http://lan.example:8080/page", "http://lan.example/", false},
		{" localhost ", "http://localhost/", true},
		{"not a host", "http://localhost/", false},
	}
	for _, c := range cases {
		t.Run(c.host+" "+c.url, func(t *testing.T) {
			g := newGuard(t, known, c.host)
			err := g.Check(t.Context(), c.url)
			if (err == nil) != c.allowed {
				t.Errorf("got %v, want allowed %v", err, c.allowed)
			}
		})
	}
}

func TestValidateHost(t *testing.T) {
	for _, valid := range []string{"localhost", "127.0.0.1:80", "[::1]:80", "::1", "http://nas.example:5000/"} {
		t.Run(valid, func(t *testing.T) {
			if err := ValidateHost(valid); err != nil {
				t.Error(err)
			}
		})
	}
	for _, invalid := range []string{"", "a b", "host:port", "host:0", "ftp://host/", "http://", "*.example"} {
		t.Run("invalid "+invalid, func(t *testing.T) {
			if ValidateHost(invalid) == nil {
				t.Error("it was accepted")
			}
		})
	}
}

func TestBlockedPortsStayBlockedUnderAllowedNames(t *testing.T) {
	g := newGuard(t, map[string][]string{"me.example": {"127.0.0.1"}}, "127.0.0.1", "localhost", "::1", "0.0.0.0",
		"me.example")
	g.Block("127.0.0.1:4000")
	for _, own := range []string{
		"http://127.0.0.1:4000/", "http://localhost:4000/", "http://[::1]:4000/",
		"http://0.0.0.0:4000/", "http://me.example:4000/", "http://127.9.9.9:4000/",
	} {
		t.Run(own, func(t *testing.T) {
			if err := g.Check(t.Context(), own); err == nil || !strings.Contains(err.Error(), "Sextant's own port") {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := g.Check(t.Context(), "http://localhost:4001/"); err != nil {
		t.Errorf("another port: %v", err)
	}
}

func TestBlockURLBlocksEverySpelling(t *testing.T) {
	names := map[string][]string{"me.example": {"127.0.0.1"}, "grid.example": {"10.1.2.3"}}
	spellings := []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "app.localhost", "127.1", "127.0.1", "2130706433", "0x7f000001",
		"017700000001",
		"0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "127.0.0.1.", "me.example", "ME.example.",
	}
	for _, blocked := range spellings {
		for _, address := range []string{
			"http://" + blocked + ":9222", "ws://" + blocked + ":9222/devtools/browser/1",
			"HTTP://" + blocked + ":9222/",
		} {
			t.Run(address, func(t *testing.T) {
				g := newGuard(t, names, "127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "me.example", "app.localhost")
				if err := g.BlockURL(t.Context(), address); err != nil {
					t.Fatal(err)
				}
				for _, requested := range spellings {
					if err := g.Check(t.Context(), "http://"+requested+":9222/json"); err == nil ||
						!strings.Contains(err.Error(), "own port") {
						t.Errorf("requested as %s: %v", requested, err)
					}
				}
				if err := g.Check(t.Context(), "http://localhost:9223/"); err != nil {
					t.Errorf("another port: %v", err)
				}
			})
		}
	}
	g := newGuard(t, names, "grid.example", "10.1.2.3", "later.example")
	for _, address := range []string{"wss://grid.example/devtools/browser/1", "http://later.example:9222"} {
		if err := g.BlockURL(t.Context(), address); err != nil {
			t.Error(err)
		}
	}
	for _, blocked := range []string{"https://grid.example/", "https://10.1.2.3/"} {
		if err := g.Check(t.Context(), blocked); err == nil || !strings.Contains(err.Error(), "own port") {
			t.Errorf("%s: %v", blocked, err)
		}
	}
	if err := g.BlockURL(t.Context(), "127.0.0.1:9222"); err == nil {
		t.Error("an address without a scheme was accepted")
	}
}

func FuzzCheckBlocksNonPublicLiterals(f *testing.F) {
	for _, s := range []string{
		"http://127.0.0.1/", "http://0x7f.1/", "http://[::ffff:7f00:1]:80/", "https://a@b:1/", "http://1.1.1.1/",
		"http://[fe80::1%25lo]/", "file:///", "http://017700000001", "//x", "http://\u2460/", "http://a..b/",
		"http://xn--/",
	} {
		f.Add(s)
	}
	g := New(Config{Resolver: &fakeResolver{}})
	f.Fuzz(func(t *testing.T, s string) {
		if g.Check(t.Context(), s) != nil {
			return
		}
		u, err := url.Parse(s)
		if err != nil {
			t.Fatalf("%q passed and does not parse", s)
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q passed with scheme %q", s, u.Scheme)
		}
		target, blocked := urlTarget(u)
		if blocked != nil {
			t.Fatalf("%q passed and has no target: %v", s, blocked)
		}
		if a, ok := target.ip(); ok && address.NonPublicReason(a) != "" {
			t.Fatalf("%q passed and is %s", s, a)
		}
		again, err := parseTarget(target.String())
		if err != nil || again != target {
			t.Fatalf("%q: %v parsed again is %v (%v)", s, target, again, err)
		}
	})
}
