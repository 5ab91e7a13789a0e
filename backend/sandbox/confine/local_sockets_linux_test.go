package confine

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func init() {
	// listen PATH serves a local socket and connects to it.
	probePrograms["listen"] = func(a []string) error {
		ln, err := net.Listen("unix", a[0])
		if err != nil {
			return err
		}
		go func() {
			if c, err := ln.Accept(); err == nil {
				_, _ = c.Write([]byte("it answers\n"))
				_ = c.Close()
			}
		}()
		return dialAndPrint("unix", a[0])
	}
}

func TestRunWithOwnHomeReachesOnlyItsOwnLocalSockets(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	defer w.cleanWorkspace()
	w.reset()
	c := w.sandbox()
	if !c.IsolatesNetwork() || c.mechanisms.Landlock < landlockABIScopes {
		t.Skip("no namespaces, or abstract sockets cannot be scoped")
	}
	own := t.TempDir()
	run := func(script string, network bool, writable ...string) string {
		t.Helper()
		var out outputBuffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := c.Run(ctx, Spec{
			Args: []string{"/bin/bash", "--noprofile", "--norc", "-c", script}, Dir: w.ws, Home: own,
			Restricted: PrivateFolders(w.home), Network: network, AllowBlockedPorts: true,
			Writable: append(writable, w.ws), Env: append(w.env, "PATH=/usr/local/bin:/usr/bin:/bin"), Stdout: &out,
			Stderr: &out,
		})
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return out.String()
	}
	for _, network := range []bool{true, false} {
		if got := run("$P listen $TMPDIR/own; $P listen ~/own; $P listen $WS/own", network); strings.Count(got,
			"it answers") != 3 {
			t.Errorf("network %v: its own sockets: %s", network, got)
		}
		got := run(`for s in $SOCK $SOCKTMP $SOCKWS $ABSTRACT; do $P dial unix $s; done; $P dial unixgram $DGRAM; ln -s $SOCK $WS/s; $P dial unix $WS/s; $P dial unix /proc/self/root$SOCK
			for s in /run/dbus/system_bus_socket /run/docker.sock /tmp/.X11-unix/X0; do $P dial unix $s; done`, network)
		if w.contacts.Load() != 0 || strings.Contains(got, w.token) {
			t.Errorf("network %v: it reached a socket of another program: %s", network, got)
		}
		// In /tmp other programs may create sockets later.
		if got = run("$P listen $WS/own2; $P dial unix $SOCKTMP", network, "/tmp"); strings.Contains(got,
			"it answers") || w.contacts.Load() != 0 {
			t.Errorf("network %v: granted /tmp, it has local sockets: %s", network, got)
		}
		_ = os.Remove(w.ws + "/own")
		_ = os.Remove(w.ws + "/s")
		_ = os.Remove(own + "/own")
	}
}

func TestRunDoesNotSeeFoldersOfOtherRuns(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	defer w.cleanWorkspace()
	w.reset()
	c := w.sandbox()
	if !c.IsolatesNetwork() {
		t.Skip("no namespaces")
	}
	other, err := makeRunFolders("/tmp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = RemoveAll(other.base); _ = other.lock.Close() }()
	w.writeFile(filepath.Join(other.tmp, "private"), w.token)
	var out outputBuffer
	if _, err := c.Run(t.Context(), Spec{
		Args: []string{"/bin/sh", "-c", "ls -d /tmp/sextant-world-*; cat " + other.tmp + "/private; echo x > " +
			other.tmp + "/planted"},
		Dir: w.ws, Workspace: w.ws, Writable: []string{"/tmp"}, Env: w.env, Stdout: &out, Stderr: &out,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other.tmp + "/planted"); err == nil || strings.Contains(out.String(), w.token) {
		t.Errorf("it reached another run's folder: %s", out.String())
	}
	if !strings.Contains(out.String(), "/tmp/sextant-world-") {
		t.Errorf("it does not see /tmp: %s", out.String())
	}
}

func TestHomeBehindSymlink(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	defer w.cleanWorkspace()
	w.reset()
	link := w.base + "/by-link"
	w.must(os.Symlink(w.home, link))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := New(Config{Home: link, TempDir: "/tmp", DisabledMechanisms: without})
		if ok, _, reason := c.Available(); !ok {
			t.Logf("no sandbox without %v: %s", without, reason)
			continue
		}
		own := t.TempDir()
		for _, dir := range []string{link, link + "/project", w.home + "/project"} {
			if without != nil && dir == link {
				continue // the home folder itself is not visible there
			}
			var out outputBuffer
			exit, err := c.Run(t.Context(), Spec{
				Args: []string{"/bin/sh", "-c", "cd -P . && echo in $PWD; echo kept > ~/kept; echo seen > " + link +
					"/project/seen"}, Dir: dir, Home: own, Restricted: append(PrivateFolders(link), w.base),
				Writable: []string{link + "/project"}, Env: w.env, Stdout: &out, Stderr: &out,
			})
			if err != nil || !strings.Contains(out.String(), "in "+strings.Replace(dir, link, w.home, 1)+"\n") {
				t.Errorf("%v, in %s: %+v, %v: %s", without, dir, exit, err, out.String())
				continue
			}
			if text, err := os.ReadFile(own + "/kept"); err != nil || string(text) != "kept\n" {
				t.Errorf("%v, in %s: its home is not the one of the run: %v: %s", without, dir, err, out.String())
			}
			if text, err := os.ReadFile(w.ws + "/seen"); err != nil || string(text) != "seen\n" {
				t.Errorf("%v, in %s: the granted folder is not visible: %v: %s", without, dir, err, out.String())
			}
			_, _ = os.Remove(own+"/kept"), os.Remove(w.ws+"/seen")
		}
	}
}
