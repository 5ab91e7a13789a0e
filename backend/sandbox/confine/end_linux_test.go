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

func TestARunSaysHowItEnded(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
		for script, code := range map[string]int{
			"exit 0": 0, "exit 3": 3, "kill -9 $$": 137, "kill -TERM $$": 143,
			"nosuchprogram": 127,
		} {
			exit, err := c.Run(t.Context(), Spec{Args: []string{"bash", "-c", script}, Workspace: w.ws})
			if err != nil || exit.Code != code || exit.Killed {
				t.Errorf("%s %v: %+v, %v; want %d", script, without, exit, err, code)
			}
		}
		if _, err := c.Run(t.Context(), Spec{Args: []string{"/no/such/program"}, Workspace: w.ws}); err == nil ||
			!strings.Contains(err.Error(), "/no/such/program") {
			t.Errorf("a program that is not there: %v", err)
		}
	}
}

// survivors are processes with marker on their command line.
func survivors(marker string) []string {
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

// Everything is dead when Wait returns, also what made itself a daemon, was stopped, or ignores
// signals; without the sandbox too.
func TestNothingOutlivesACancelledRun(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	kinds := map[string]string{
		"children": "sleep 987654 & sleep 987654 & echo ready; wait",
		"daemons": "setsid sleep 987654 & (setsid setsid nohup sleep 987654 >/dev/null 2>&1 &) ; echo " +
			"ready; sleep 987654",
		"a deaf one": "trap '' TERM INT HUP; (trap '' TERM; sleep 987654) & echo ready; while :; do sleep " +
			"987654; done",
		"a stopped one": "sleep 987654 & kill -STOP $!; echo ready; sleep 987654",
		"one that forks": "f() { sleep 0.02; f & }; for i in 1 2 3 4 5; do f & done; sleep 987654 & echo ready; " +
			"wait; sleep 987654",
		"ended by itself":  "setsid sleep 987654 >/dev/null 2>&1 & echo ready; exit 0",
		"reparented twice": "bash -c 'bash -c \"setsid sleep 987654 & exit\" & exit' & echo ready; sleep 987654",
	}
	var longest time.Duration
	which := ""
	defer func() {
		t.Logf("the longest took %v from the stop until all were dead and wiped (%s)", longest.Round(time.Millisecond),
			which)
	}()
	for _, mode := range []string{"bubblewrap", "alone", "unconfined"} {
		var without []string
		if mode == "alone" {
			without = []string{"bubblewrap"}
		}
		c := w.confine(without...)
		if ok, _, why := c.Available(); !ok && mode != "unconfined" {
			t.Logf("%s: %s", mode, why)
			continue
		}
		for name, script := range kinds {
			ctx, cancel := context.WithCancel(t.Context())
			ready := &waiter{what: "ready", seen: make(chan struct{})}
			p, err := c.Command(ctx, Spec{
				Args: []string{"bash", "-c", script}, Workspace: w.ws, Stdout: ready,
				Unconfined: mode == "unconfined",
			})
			if err != nil {
				t.Fatal(err)
			}
			<-ready.seen
			base := p.rooms.base
			began := time.Now()
			cancel()
			exit, err := p.Wait()
			if took := time.Since(began); took > longest {
				longest, which = took, mode+", "+name
			}
			if err != nil || !exit.Killed {
				t.Errorf("%s, %s: %+v %v", mode, name, exit, err)
			}
			if left := survivors("987654"); len(left) > 0 {
				t.Errorf("%s, %s: still there: %v", mode, name, left)
			}
			if _, err := os.Stat(base); !os.IsNotExist(err) {
				t.Errorf("%s, %s: its temporary folder is still there", mode, name)
			}
		}
	}
}

// waiter is told what is printed and closes seen when it stands there.
type waiter struct {
	what string
	all  bytes.Buffer
	seen chan struct{}
	done bool
}

func (w *waiter) Write(b []byte) (int, error) {
	w.all.Write(b)
	if !w.done && strings.Contains(w.all.String(), w.what) {
		w.done = true
		close(w.seen)
	}
	return len(b), nil
}

// When Sextant itself is killed, nobody closes anything: the kernel does.
func TestNothingOutlivesSextant(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	sextant := exec.Command(w.ws+"/probe", "__probe", "sextant", w.home, w.ws)
	out, err := sextant.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sextant.Start(); err != nil {
		t.Fatal(err)
	}
	ready := &waiter{what: "ready", seen: make(chan struct{})}
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
	for len(survivors("876543")) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("still there: %v", survivors("876543"))
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWithNetworkAServerCanBeReachedAndOurPortCannot(t *testing.T) {
	w := newWorld(t, visibleBase(t))
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
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
		if said := w.inside(c, script, true, false); !strings.Contains(said, "welcome") {
			t.Errorf("%v: with network: %q", without, said)
		}
		if said := w.inside(c, script, false, false); strings.Contains(said, "welcome") {
			t.Errorf("%v: without: %q", without, said)
		}
	}
}

func TestARunWhoseTimeEndedBeforeItBeganIsAKilledOne(t *testing.T) {
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

func TestWithoutASandboxNothingRunsUnlessItWasAskedFor(t *testing.T) {
	c := New(Config{Without: []string{"bubblewrap", "landlock"}})
	ok, _, why := c.Available()
	if ok || !strings.Contains(why, "Landlock") {
		t.Errorf("available %v: %q", ok, why)
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

// What is hidden stays hidden where a workspace lies around it or inside it, and a home that is
// the workspace stays as it is: what starts programs cannot be made in it either.
func TestAWorkspaceMayLieInsideAndAroundWhatIsHidden(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	hiddenFolder := w.home + "/sextant-data/workspace"
	w.must(os.MkdirAll(hiddenFolder, 0o755))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
		ok, how, _ := c.Available()
		if !ok {
			continue
		}
		run := func(workspace, script string) string {
			var out heard
			if _, err := c.Run(t.Context(), Spec{
				Args: []string{"bash", "-c", script}, Workspace: workspace, Env: w.env,
				Stdout: &out, Stderr: &out,
			}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		if said := run(hiddenFolder, "echo x > f && cat f; cat ../sextant.db"); !strings.Contains(said, "x\n") ||
			strings.Contains(said, w.token) {
			t.Errorf("inside (%s): %s", how, said)
		}
		said := run(w.home, "cat $SECRET .netrc sextant-data/sextant.db; cat notes.txt")
		if strings.Contains(said, w.token) || !strings.Contains(said, "as it was") {
			t.Errorf("around (%s): %s", how, said)
		}
		w.must(os.MkdirAll(w.home+"/.config", 0o755))
		for _, workspace := range []string{w.home, filepath.Dir(w.home), w.home + "/.config"} {
			if !c.Keeps(workspace) {
				t.Errorf("%s is written by runs", workspace)
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
				t.Errorf("%s was made (%s): %v", name, how, err)
			}
		}
		for _, workspace := range []string{w.ws, w.outside} {
			if c.Keeps(workspace) {
				t.Errorf("%s is not written by runs", workspace)
			}
		}
	}
}
