package providers_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/sandbox/egress"
	"sextant/shared/chat"
)

// canary listens on loopback and records the requests it gets.
func canary(t *testing.T) (address string, heard func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all strings.Builder
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
			b, _ := io.ReadAll(c)
			_ = c.Close()
			mu.Lock()
			fmt.Fprintf(&all, "a connection with %q\n", b)
			mu.Unlock()
		}
	})
	t.Cleanup(func() { _ = ln.Close(); serving.Wait() })
	return ln.Addr().String(), func() string { mu.Lock(); defer mu.Unlock(); return all.String() }
}

// sendHello sends one question to a model; the answer does not matter.
func sendHello(t *testing.T, r *providers.Registry, name string) error {
	t.Helper()
	m, err := r.Open(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = m.Stream(ctx, llm.Request{Messages: []chat.Message{{Role: "user", Text: "hello"}}}, func(llm.Delta) {})
	return err
}

func TestGuardedClientFollowsNoRedirect(t *testing.T) {
	private, heard := canary(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			to := func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "http://"+private+r.URL.Path)
				w.WriteHeader(status)
			}
			service := httptest.NewServer(http.HandlerFunc(to))
			r := providers.New(
				providers.Config{
					OpenAIBaseURL: service.URL,
					OpenAIKey:     "key-that-stays",
					LocalPorts:    map[string]int{"ollama": service.Listener.Addr().(*net.TCPAddr).Port},
				},
			)
			for _, name := range []string{"openai/m", "ollama/m"} {
				if err := sendHello(t, r, name); err == nil {
					t.Errorf("%d: %s answered", status, name)
				}
			}
			r.List(t.Context())
			r.Close()
			service.Close()
		})
	}
	if message := heard(); message != "" {
		t.Errorf("the canary heard %s", message)
	}
}

func TestGuardedClientReachesOnlyItsAddress(t *testing.T) {
	before, heardBefore := canary(t)
	now, heardNow := canary(t)
	var guards []*egress.Guard
	r := providers.New(
		providers.Config{
			OpenAIBaseURL: "http://" + before + "/v1",
			OpenAIKey:     "k",
			LocalPorts:    map[string]int{},
			Egress: func() *egress.Guard {
				g := egress.New(egress.Config{})
				guards = append(guards, g)
				return g
			},
		},
	)
	t.Cleanup(r.Close)
	if _ = sendHello(t, r, "openai/m"); !strings.Contains(heardBefore(), "chat/completions") {
		t.Fatal("what a person configured was not reached")
	}
	r.Configure("openai", providers.Service{BaseURL: "http://" + now + "/v1", Key: "k"})
	for _, g := range guards[:len(guards)-1] {
		if g.IsAllowed(now) {
			t.Error("the new address is open at a guard that is not its own")
		}
	}
	last := guards[len(guards)-1]
	if last.IsAllowed(before) {
		t.Error("an address that is configured no longer stays open")
	}
	if _, err := last.DialContext(t.Context(), "tcp", before); err == nil {
		t.Error("it was dialled")
	}
	if err := last.Check(t.Context(), "http://127.0.0.1/"); err == nil {
		t.Error("other ports of the host are open")
	}
	r.Block(now)
	if _ = sendHello(t, r, "openai/m"); heardNow() != "" {
		t.Errorf("our own port heard %s", heardNow())
	}
}
