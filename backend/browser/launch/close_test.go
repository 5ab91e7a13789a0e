package launch_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/browser/launch"
)

// startScript starts a shell script as the browser; it says hello over the pipe when it is set up.
func startScript(t *testing.T, script string) *launch.Process {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := launch.Start(t.Context(), launch.Options{Path: path, Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := p.Pipe.Read(); err != nil || string(b) != "hello" {
		t.Fatalf("%q, %v", b, err)
	}
	return p
}

// expectClosed fails the test when closing p, or reading its pipe, has no end.
func expectClosed(t *testing.T, p *launch.Process, grace time.Duration) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			if _, err := p.Pipe.Read(); err != nil {
				return
			}
		}
	}()
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- p.Close(grace) }()
	}
	for range 2 {
		if err := <-closed; err != nil {
			t.Error(err)
		}
	}
	<-over
}

func TestUnresponsiveBrowserIsKilledWithItsChildren(t *testing.T) {
	p := startScript(t, `trap '' TERM HUP; sleep 600 & printf 'hello\0' >&4; while :; do sleep 600; done`)
	expectClosed(t, p, 50*time.Millisecond)
	select {
	case <-p.Done():
	default:
		t.Error("it goes on")
	}
}

func TestBrowserIsClosedBeforeItIsKilled(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	p := startScript(t, `trap 'echo well > '"'`+done+
		`'"'; exit 0' TERM; printf 'hello\0' >&4; while :; do sleep 0.02; done`)
	expectClosed(t, p, 6*time.Second)
	if b, err := os.ReadFile(done); err != nil || string(b) != "well\n" {
		t.Errorf("it was not asked: %q, %v", b, err)
	}
}

func TestOrphanHoldingPipeDoesNotBlockClose(t *testing.T) {
	// In a session of its own it is out of the group's reach, and has our pipe and the error
	// output open as long as it lives.
	pid := filepath.Join(t.TempDir(), "pid")
	p := startScript(t, `setsid sh -c 'echo $$ > '"'`+pid+`'"'; exec sleep 30' & while ! [ -s '`+pid+
		`' ]; do sleep 0.02; done; printf 'hello\0' >&4; while :; do sleep 600; done`)
	expectClosed(t, p, 50*time.Millisecond)
	b, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || syscall.Kill(left, syscall.SIGKILL) != nil {
		t.Errorf("nothing was left behind, so nothing is proved: %q, %v", b, err)
	}
}
