package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/policy"
	"sextant/backend/policy/address"
	"sextant/backend/sandbox/egress"
	"sextant/shared/toolspec"
)

// row is one line of the dialer's table of forms.
type row struct {
	open          bool
	text, answers string
}

func rows(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile("../../sandbox/egress/testdata/forms.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	for line := range strings.Lines(string(b)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 4 || part[1] != "direct" && part[1] != "name" {
			continue // the rest are ways of a server to answer, tried elsewhere
		}
		text, err := strconv.Unquote(part[2])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row{part[0] == "open", text, part[3]})
	}
	return all
}

// staticResolver is a resolver that says what its row does.
type staticResolver struct{ row *row }

func (sr staticResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for s := range strings.SplitSeq(sr.row.answers, ",") {
		if addr, err := netip.ParseAddr(s); err == nil {
			addrs = append(addrs, addr)
		}
	}
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// The policy reads an address before the dialer does; between the two, no form may be taken for
// another.
func TestWgetReachesPublicAddressesOnly(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		respond(w, "public")
	}))
	defer public.Close()
	now := row{}
	guard := egress.New(egress.Config{
		Resolver: staticResolver{&now},
		Dial: func(ctx context.Context, network, at string) (net.Conn, error) {
			if ap, err := netip.ParseAddrPort(at); err != nil || address.NonPublicReason(ap.Addr()) != "" {
				reached.Add(1)
			}
			return new(net.Dialer).DialContext(ctx, network, public.Listener.Addr().String())
		},
	})
	defer func() { _ = guard.Close() }()
	tools := New(Config{Transport: guard.Transport(), Setting: func(string) string { return "1000000" }})
	def, _ := tools.Find("wget")
	table, refused := rows(t), 0
	if len(table) < 1000 {
		t.Fatalf("only %d forms", len(table))
	}
	for _, now = range table {
		call := callOf("wget", map[string]any{"uri": now.text})
		call.From = toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"}
		d := policy.Decide(policy.Input{
			Call: call, Definition: def.def, Description: tools.Describe(call),
			Now: time.Unix(0, 0),
		})
		r, err := tools.Execute(t.Context(), call, def.def, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Verdict == policy.VerdictAllow && r.Success; got != now.open {
			refused++
			t.Errorf("%q: reached is %v; policy: %s %s; wget: %s", now.text, got, d.Verdict, d.Reason, r.Error)
		}
	}
	fmt.Printf("wget: %d forms, %d reached, %d refused wrongly\n", len(table), reached.Load(), refused)
	if n := reached.Load(); n != 0 {
		t.Errorf("%d private addresses were dialled", n)
	}
}
