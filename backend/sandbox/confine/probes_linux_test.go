package confine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asUserEnv makes this test binary run its tests in a folder that the user it runs as owns.
const asUserEnv = "SEXTANT_TEST_BASE"

// ordinary is a user that no machine has.
const ordinary = 54321

// visibleBase is a folder that runs do not get their own of.
func visibleBase(t *testing.T) string {
	t.Helper()
	if base := os.Getenv(asUserEnv); base != "" {
		return base
	}
	parent := "/var/cache"
	if os.Geteuid() != 0 {
		var err error
		if parent, err = os.UserCacheDir(); err != nil {
			t.Fatal(err)
		}
	}
	base, err := os.MkdirTemp(parent, "sextant-world-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	return base
}

func who() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return "user"
}

// asUser runs one of these tests again as an ordinary user and shows what it says. Without
// root the test runs as one anyway.
func asUser(t *testing.T, name string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	base := visibleBase(t)
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := base + "/test"
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	world := base + "/world"
	if err := os.Mkdir(world, 0o755); err != nil {
		t.Fatal(err)
	}
	// A program that would make its user root.
	if err := os.WriteFile(world+"/changes-root", self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(world+"/changes-root", 0o4755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(world, ordinary, ordinary); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^"+name+"$", "-test.v")
	cmd.Dir = world
	cmd.Env = append(os.Environ(), asUserEnv+"="+world, "HOME="+world)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	out, err := cmd.CombinedOutput()
	for _, line := range strings.Split(string(out), "\n") {
		if strings.TrimSpace(line) != "" {
			t.Log(line)
		}
	}
	if err != nil {
		t.Errorf("as an ordinary user: %v", err)
	}
}

// heard is what both streams of a run say.
type heard struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all.String()
}

// inside runs a script as a run of w's workspace.
func (w *world) inside(c *Confine, script string, network, unconfined bool) string {
	w.t.Helper()
	var out heard
	limit := 30 * time.Second
	if unconfined {
		limit = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	exit, err := c.Run(ctx, Spec{
		Args: []string{"/bin/bash", "--noprofile", "--norc", "-c", script}, Dir: w.ws, Workspace: w.ws,
		Env:     append(w.env, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"),
		Network: network, Unconfined: unconfined, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		w.t.Fatalf("%s: %v", script, err)
	}
	if exit.Killed && !unconfined {
		w.t.Errorf("%s: did not end: %s", script, out.String())
	}
	return out.String()
}

func (w *world) confine(without ...string) *Confine {
	w.t.Helper()
	secret := []string{w.home + "/sextant-data"}
	if !w.atWork {
		secret = append(secret, w.ws+"/.hidden")
	}
	return New(Config{
		Home: w.home, Secret: secret, TempDir: "/tmp", Without: without,
		Ports: func() []uint16 {
			for _, pair := range w.env {
				if port, ok := strings.CutPrefix(pair, "TCP="); ok {
					n, _ := strconv.Atoi(port)
					return []uint16{uint16(n)}
				}
			}
			return nil
		},
	})
}

// hostile are variables of ours that must not go in.
func hostile(t *testing.T, w *world) {
	t.Helper()
	script := filepath.Join(w.base, "rc")
	if err := os.WriteFile(script, []byte("echo PROBE-SUCCEEDED\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"BASH_ENV": script, "ENV": script, "PROMPT_COMMAND": "echo PROBE-SUCCEEDED", "LD_PRELOAD": "/nowhere/" +
			w.token + ".so",
		"AWS_SECRET_ACCESS_KEY": w.token, "SSH_AUTH_SOCK": w.base + "/" + w.token, "SEXTANT_TOKEN": w.token,
		"DISPLAY": ":" + w.token,
	} {
		t.Setenv(name, value)
	}
}

func TestNoProbeGetsOut(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs")
	}
	w := newWorld(t, visibleBase(t))
	hostile(t, w)
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
		ok, how, why := c.Available()
		if !ok {
			t.Logf("no sandbox %v: %s", without, why)
			continue
		}
		ran, out := 0, 0
		for _, p := range append(fileProbes(), systemProbes()...) {
			if p.mounts && len(without) > 0 {
				continue
			}
			said := w.inside(c, p.script, p.network, false)
			ran++
			if damage := w.damage(said); len(damage) > 0 {
				out++
				t.Errorf("%s (%s): %s\nit said: %.600s", p.name, how, strings.Join(damage, "; "), said)
				w.reset()
			}
			w.tidy()
		}
		if ran < 150 {
			t.Errorf("only %d probes", ran)
		}
		fmt.Printf("probes: %d run, %d succeeded (%s), %s\n", ran, out, who(), how)
	}
	if os.Getenv(asUserEnv) == "" {
		asUser(t, t.Name())
	}
}

// Probes that cannot succeed prove nothing: outside of the sandbox they do.
func TestProbesSucceedOutsideOfTheSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred runs")
	}
	w := newWorld(t, visibleBase(t))
	c := w.confine()
	ran, out := 0, 0
	var blind []string
	for _, p := range append(fileProbes(), systemProbes()...) {
		if p.wild {
			continue
		}
		ran++
		if len(w.damage(w.inside(c, p.script, true, true))) > 0 {
			out++
			w.reset()
		} else {
			blind = append(blind, p.name)
		}
		w.tidy()
	}
	fmt.Printf("controls: %d of %d probes succeed outside of the sandbox (%s)\n", out, ran, who())
	t.Logf("not: %s", strings.Join(blind, ", "))
	if out*10 < ran*9 {
		t.Errorf("only %d of %d probes see anything", out, ran)
	}
}

// tidy empties the workspace of what a probe left.
func (w *world) tidy() {
	w.t.Helper()
	keep := map[string]bool{"probe": true, "socket": true, ".git": true, ".hidden": true}
	entries, _ := os.ReadDir(w.ws)
	for _, e := range entries {
		if !keep[e.Name()] {
			_ = Wipe(w.ws + "/" + e.Name())
		}
	}
}
