package mcpclient

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// dyingWriter kills its own process, as kill -9 does, in the middle of what it says: after a number of
// bytes that nobody knows before.
type dyingWriter struct{ left int64 }

func (d *dyingWriter) Write(p []byte) (int, error) {
	if int64(len(p)) >= d.left {
		_, _ = os.Stdout.Write(p[:d.left])
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	d.left -= int64(len(p))
	return os.Stdout.Write(p)
}

func (d *dyingWriter) Close() error { return os.Stdout.Close() }

// dyingTransport is the transport of the test's own binary in the mode "mortal". It leaves a child behind,
// as wrappers do, which has to go with it.
func dyingTransport() sdk.Transport {
	left := exec.Command("sleep", "600")
	_ = left.Start()
	return &sdk.IOTransport{Reader: os.Stdin, Writer: &dyingWriter{left: rand.Int64N(20000) + 1}}
}

// childProcesses returns the processes whose parent is this one, or whose group one of ours led: living or not yet
// reaped, without what began before the test.
func childProcesses(t *testing.T) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, string(text[:min(len(text), 80)]))
		}
	}
	return found
}

func TestServerKilledAtAnyByte(t *testing.T) {
	kills := int64(40)
	if os.Getenv("SEXTANT_WHOLE") != "" {
		kills = 1000
	}
	var died, answered, refused atomic.Int64
	s, _, _ := startedWith(t, configText(`"a": `+stdio(t, "mortal", ""), `"b": `+stdio(t, "mortal", "")), Config{
		timing: timing{firstPause: time.Millisecond, maxPause: 4 * time.Millisecond, died: func() { died.Add(1) }},
	})
	var callers sync.WaitGroup
	for i := range 6 {
		callers.Go(func() {
			for n := 0; died.Load() < kills && !t.Failed(); n++ {
				name := []string{"a", "b"}[(i+n)%2]
				done := time.AfterFunc(30*time.Second, func() { t.Errorf("a call to %s hangs", name) })
				r := s.Call(t.Context(), name, "echo-text", []byte(`{"text":"`+strings.Repeat("x", n%500)+`"}`))
				done.Stop()
				switch {
				case r.Success:
					answered.Add(1)
				case r.ErrorType == toolspec.SystemError:
					refused.Add(1)
					time.Sleep(time.Millisecond) // it may be starting
				default:
					t.Errorf("a %s: %s", r.ErrorType, r.Error)
				}
			}
		})
	}
	callers.Wait()
	s.Close()
	if answered.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d answers and %d refusals prove nothing", answered.Load(), refused.Load())
	}
	if left := childProcesses(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	fmt.Printf("%d kills at random bytes: %d calls answered, %d refused with a reason, none hung\n", died.Load(),
		answered.Load(), refused.Load())
}

func TestKilledServerIsRestarted(t *testing.T) {
	s, j, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	victim := pid(t, s)
	result := make(chan toolspec.Result, 1)
	go func() { result <- s.Call(t.Context(), "My Tester", "hang", nil) }()
	eventually(t, "the call is on its way", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.servers["My Tester"].calls.IsIdle()
	})
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	mustFail(t, <-result, toolspec.SystemError, "stopped during the call", "signal killed")
	eventually(t, "the failure is published", func() bool { return j.published("My Tester", stateDown) })
	waitForState(t, s, "My Tester", stateReady)
	if pid(t, s) == victim {
		t.Error("it is the same process")
	}
}

func TestServerWithoutPing(t *testing.T) {
	if err := noAnswer(fmt.Errorf("calling ping: %w", &jsonrpc.Error{
		Code:    jsonrpc.CodeMethodNotFound,
		Message: "not here",
	})); err != nil {
		t.Errorf("its refusal counts as %v", err)
	}
	for _, err := range []error{context.DeadlineExceeded, &jsonrpc.Error{Code: codeUndelivered}} {
		if noAnswer(err) == nil {
			t.Errorf("%v counts as an answer", err)
		}
	}
}

func TestUnresponsiveServerIsEndedBusyOneIsNot(t *testing.T) {
	s, j, _ := startedWith(t, configText(`"My Tester": `+stdio(t, "good", "")),
		Config{timing: timing{
			checkInterval: 20 * time.Millisecond, checkLimit: 200 * time.Millisecond,
			relistLimit: 200 * time.Millisecond,
		}})
	waitForState(t, s, "My Tester", stateReady)
	victim := pid(t, s)
	s.mu.Lock()
	v := s.servers["My Tester"]
	s.mu.Unlock()
	silences := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return v.missedChecks
	}
	// A call that it works on, for the whole time.
	_, land := v.calls.Begin(t.Context(), toolspec.Call{})
	defer land()
	if err := syscall.Kill(victim, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds, so that the writing stops, too.
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	mustFail(t, s.Call(ctx, "My Tester", "echo-text", []byte(`{"text":"`+strings.Repeat("x", 1<<20)+`"}`)),
		toolspec.SystemError, "did not answer echo-text in time")
	eventually(t, "it is reported as unresponsive", func() bool { return j.published("My Tester", stateDegraded) })
	if got := find(s, "My Tester"); got.State != stateDegraded || len(got.Tools) == 0 {
		t.Errorf("a server that is slow is %s with %d tools", got.State, len(got.Tools))
	}
	eventually(t, "it is silent for longer than an idle one may be", func() bool { return silences() > maxMissed })
	if err := syscall.Kill(victim, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is well again", func() bool { return find(s, "My Tester").State == stateReady })
	if pid(t, s) != victim || j.published("My Tester", stateDown) {
		t.Error("it was ended in the middle of its work")
	}
}

func TestLateToolListIsRequestedAgain(t *testing.T) {
	s, j, _ := startedWith(t, configText(`"My Tester": `+stdio(t, "good", "")),
		Config{timing: timing{checkInterval: 20 * time.Millisecond, relistLimit: 100 * time.Millisecond}})
	waitForState(t, s, "My Tester", stateReady)
	victim := pid(t, s)
	s.mu.Lock()
	v := s.servers["My Tester"]
	session := v.session
	s.mu.Unlock()
	if err := syscall.Kill(victim, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	limit, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if late, err := v.relist(limit, session); !late || err != nil {
		t.Errorf("got %t, %v", late, err)
	}
	if err := syscall.Kill(victim, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it tells its tools in time again", func() bool {
		late, err := v.relist(limit, session)
		if err != nil {
			t.Fatal(err)
		}
		return !late
	})
	if pid(t, s) != victim || j.published("My Tester", stateDown) {
		t.Error("it was ended")
	}
}
