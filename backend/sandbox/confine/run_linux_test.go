package confine

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sandboxModes are the ways to run with and without namespaces, with the mechanisms to disable.
var sandboxModes = []struct {
	name    string
	without []string
}{{"bubblewrap", nil}, {"landlock only", []string{"bubblewrap"}}}

func TestRunReportsExitCode(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	for _, mode := range sandboxModes {
		c := w.sandbox(mode.without...)
		for script, code := range map[string]int{
			"exit 0": 0, "exit 3": 3, "kill -9 $$": 137, "kill -TERM $$": 143,
			"nosuchprogram": 127,
		} {
			t.Run(mode.name+"/"+script, func(t *testing.T) {
				exit, err := c.Run(t.Context(), Spec{Args: []string{"bash", "-c", script}, Workspace: w.ws})
				if err != nil || exit.Code != code || exit.Killed {
					t.Errorf("got %+v, %v; want code %d", exit, err, code)
				}
			})
		}
		t.Run(mode.name+"/missing program", func(t *testing.T) {
			_, err := c.Run(t.Context(), Spec{Args: []string{"/no/such/program"}, Workspace: w.ws})
			if err == nil || !strings.Contains(err.Error(), "/no/such/program") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// processesWith returns processes with marker in their command line.
func processesWith(marker string) []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
			line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
			if bytes.Contains(line, []byte(marker)) {
				found = append(found, e.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
	}
	return found
}

// Everything is dead when Wait returns, also daemons, stopped processes and processes that ignore signals, with and
// without the sandbox.
func TestCancelKillsAllProcesses(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	kinds := map[string]string{
		"children": "sleep 987654 & sleep 987654 & echo ready; wait",
		"daemons": "setsid sleep 987654 & (setsid setsid nohup sleep 987654 >/dev/null 2>&1 &) ; echo " +
			"ready; sleep 987654",
		"ignores signals": "trap '' TERM INT HUP; (trap '' TERM; sleep 987654) & echo ready; while :; do sleep " +
			"987654; done",
		"stopped": "sleep 987654 & kill -STOP $!; echo ready; sleep 987654",
		"forks": "f() { sleep 0.02; f & }; for i in 1 2 3 4 5; do f & done; sleep 987654 & echo ready; " +
			"wait; sleep 987654",
		"command has ended": "setsid sleep 987654 >/dev/null 2>&1 & echo ready; exit 0",
		"reparented twice":  "bash -c 'bash -c \"setsid sleep 987654 & exit\" & exit' & echo ready; sleep 987654",
	}
	var longest time.Duration
	slowest := ""
	defer func() {
		t.Logf(
			"the longest took %v from the cancel until all were dead and removed (%s)",
			longest.Round(time.Millisecond),
			slowest,
		)
	}()
	for _, mode := range []string{"bubblewrap", "landlock only", "unconfined"} {
		var without []string
		if mode == "landlock only" {
			without = []string{"bubblewrap"}
		}
		c := w.sandbox(without...)
		if ok, _, reason := c.Available(); !ok && mode != "unconfined" {
			t.Logf("%s: %s", mode, reason)
			continue
		}
		for name, script := range kinds {
			t.Run(mode+"/"+name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ready := &outputWaiter{text: "ready", seen: make(chan struct{})}
				p, err := c.Start(ctx, Spec{
					Args: []string{"bash", "-c", script}, Workspace: w.ws, Stdout: ready,
					Unconfined: mode == "unconfined",
				})
				if err != nil {
					t.Fatal(err)
				}
				<-ready.seen
				base := p.folders.base
				start := time.Now()
				cancel()
				exit, err := p.Wait()
				if took := time.Since(start); took > longest {
					longest, slowest = took, mode+", "+name
				}
				if err != nil || !exit.Killed {
					t.Errorf("got %+v %v", exit, err)
				}
				if left := processesWith("987654"); len(left) > 0 {
					t.Errorf("still running: %v", left)
				}
				if _, err := os.Stat(base); !os.IsNotExist(err) {
					t.Error("its temporary folder still exists")
				}
			})
		}
	}
}

// outputWaiter closes seen when text was written to it.
type outputWaiter struct {
	text string
	all  bytes.Buffer
	seen chan struct{}
	done bool
}

func (w *outputWaiter) Write(b []byte) (int, error) {
	w.all.Write(b)
	if !w.done && strings.Contains(w.all.String(), w.text) {
		w.done = true
		close(w.seen)
	}
	return len(b), nil
}

// When Sextant itself is killed, the kernel closes the lifeline.
func TestRunDiesWithSextant(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	sextant := exec.Command(w.ws+"/probe", "__probe", "sextant", w.home, w.ws)
	out, err := sextant.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sextant.Start(); err != nil {
		t.Fatal(err)
	}
	ready := &outputWaiter{text: "ready", seen: make(chan struct{})}
	b := make([]byte, 100)
	for !ready.done {
		n, err := out.Read(b)
		if err != nil {
			t.Fatal(err, ready.all.String())
		}
		_, _ = ready.Write(b[:n])
	}
	_ = sextant.Process.Kill()
	_ = sextant.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for len(processesWith("876543")) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", processesWith("876543"))
		}
		time.Sleep(time.Millisecond)
	}
}

func TestNetworkReachesServersOnlyIfGranted(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	open, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	go func() {
		for {
			c, err := open.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("welcome\n"))
			_ = c.Close()
		}
	}()
	script := "$P dial tcp " + open.Addr().String()
	for _, mode := range sandboxModes {
		t.Run(mode.name, func(t *testing.T) {
			c := w.sandbox(mode.without...)
			if output := w.runScript(c, script, true, false); !strings.Contains(output, "welcome") {
				t.Errorf("with network: %q", output)
			}
			if output := w.runScript(c, script, false, false); strings.Contains(output, "welcome") {
				t.Errorf("without network: %q", output)
			}
		})
	}
}

func TestRunWithEndedContextIsKilled(t *testing.T) {
	c, dir := New(Config{}), t.TempDir()
	over, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, unconfined := range []bool{false, true} {
		if ok, _, _ := c.Available(); !ok && !unconfined {
			continue
		}
		exit, err := c.Run(over, Spec{Args: []string{"touch", dir + "/f"}, Workspace: dir, Unconfined: unconfined})
		if err != nil || !exit.Killed || exit.Code != 137 {
			t.Errorf("unconfined %v: %+v %v", unconfined, exit, err)
		}
	}
	if _, err := os.Stat(dir + "/f"); !os.IsNotExist(err) {
		t.Errorf("it ran: %v", err)
	}
}

func TestRunWithoutSandboxNeedsUnconfined(t *testing.T) {
	c := New(Config{DisabledMechanisms: []string{"bubblewrap", "landlock"}})
	ok, _, reason := c.Available()
	if ok || !strings.Contains(reason, "Landlock") {
		t.Errorf("available %v: %q", ok, reason)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if _, err := c.Run(t.Context(), Spec{Args: []string{"touch", file}, Workspace: dir}); err == nil {
		t.Error("it ran")
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it did something")
	}
	if exit, err := c.Run(t.Context(), Spec{Args: []string{"touch", file}, Unconfined: true}); err != nil ||
		exit.Code != 0 {
		t.Errorf("unconfined: %+v %v", exit, err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// Hidden paths stay hidden if the workspace contains them or is inside one. A home that is the workspace is
// read-only, so that no startup file can be created in it.
func TestWorkspaceInsideAndAroundHiddenPaths(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	hiddenFolder := w.home + "/sextant-data/workspace"
	w.must(os.MkdirAll(hiddenFolder, 0o755))
	for _, mode := range sandboxModes {
		c := w.sandbox(mode.without...)
		ok, how, _ := c.Available()
		if !ok {
			continue
		}
		run := func(workspace, script string) string {
			var out outputBuffer
			if _, err := c.Run(t.Context(), Spec{
				Args: []string{"bash", "-c", script}, Workspace: workspace, Env: w.env,
				Stdout: &out, Stderr: &out,
			}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		if output := run(hiddenFolder, "echo x > f && cat f; cat ../sextant.db"); !strings.Contains(output, "x\n") ||
			strings.Contains(output, w.token) {
			t.Errorf("inside (%s): %s", how, output)
		}
		output := run(w.home, "cat $SECRET .netrc sextant-data/sextant.db; cat notes.txt")
		if strings.Contains(output, w.token) || !strings.Contains(output, "as it was") {
			t.Errorf("around (%s): %s", how, output)
		}
		w.must(os.MkdirAll(w.home+"/.config", 0o755))
		for _, workspace := range []string{w.home, filepath.Dir(w.home), w.home + "/.config"} {
			if !c.ForcesReadOnly(workspace) {
				t.Errorf("%s is writable", workspace)
			}
			run(workspace, "cd $HOME; echo escaped >> .bashrc; mv .gitconfig x; echo x > .zshenv; echo x > "+
				".bash_profile; mkdir -p .config/autostart && echo x > .config/autostart/x.desktop")
		}
		for _, name := range []string{".bashrc", ".gitconfig"} {
			if body, err := os.ReadFile(w.home + "/" + name); err != nil || string(body) != "# as it was\n" {
				t.Errorf("%s (%s): %q %v", name, how, body, err)
			}
		}
		for _, name := range []string{".zshenv", ".bash_profile", ".config/autostart/x.desktop", "x"} {
			if _, err := os.Lstat(w.home + "/" + name); !os.IsNotExist(err) {
				t.Errorf("%s was created (%s): %v", name, how, err)
			}
		}
		for _, workspace := range []string{w.ws, w.outside} {
			if c.ForcesReadOnly(workspace) {
				t.Errorf("%s is read-only", workspace)
			}
		}
	}
}
