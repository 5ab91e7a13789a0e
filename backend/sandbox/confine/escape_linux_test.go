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

// testBaseEnv names the folder of the tests, owned by their user, when runAsUser starts this binary.
const testBaseEnv = "SEXTANT_TEST_BASE"

// unprivilegedUID is a user that no machine has.
const unprivilegedUID = 54321

// visibleBase returns a folder that runs can see, outside the temporary folders they replace.
func visibleBase(t *testing.T) string {
	t.Helper()
	if base := os.Getenv(testBaseEnv); base != "" {
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

func userKind() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return "user"
}

// runAsUser runs a test again as an ordinary user and logs its output. It does nothing unless we are root.
func runAsUser(t *testing.T, name string) {
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
	// A setuid program that would make its user root.
	if err := os.WriteFile(world+"/changes-root", self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(world+"/changes-root", 0o4755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(world, unprivilegedUID, unprivilegedUID); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^"+name+"$", "-test.v")
	cmd.Dir = world
	cmd.Env = append(os.Environ(), testBaseEnv+"="+world, "HOME="+world)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivilegedUID, Gid: unprivilegedUID}}
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

// outputBuffer collects both output streams of a run.
type outputBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *outputBuffer) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

func (o *outputBuffer) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// runScript runs a script in w's workspace and returns its output.
func (w *testWorld) runScript(c *Sandbox, script string, network, unconfined bool) string {
	w.t.Helper()
	var out outputBuffer
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

func (w *testWorld) sandbox(without ...string) *Sandbox {
	w.t.Helper()
	secret := []string{w.home + "/sextant-data"}
	if !w.noSecretInWorkspace {
		secret = append(secret, w.ws+"/.hidden")
	}
	return New(Config{
		Home: w.home, SecretPaths: secret, TempDir: "/tmp", DisabledMechanisms: without,
		BlockedPorts: func() []uint16 {
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

// setHostileEnv sets variables that a run must not inherit.
func setHostileEnv(t *testing.T, w *testWorld) {
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

// TestProbesDoNotEscape runs every probe in each kind of sandbox, as an ordinary user. As root they run too in the
// long form only, as in make e2e: few people run a desktop program as root.
func TestProbesDoNotEscape(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of runs")
	}
	if os.Geteuid() == 0 {
		runAsUser(t, t.Name())
		if os.Getenv("SEXTANT_WHOLE") == "" {
			return
		}
	}
	w := newTestWorld(t, visibleBase(t))
	setHostileEnv(t, w)
	for name, without := range map[string][]string{"full": nil, "without bubblewrap": {"bubblewrap"}} {
		t.Run(name, func(t *testing.T) {
			c := w.sandbox(without...)
			ok, how, reason := c.Available()
			if !ok {
				t.Skipf("no sandbox: %s", reason)
			}
			ran, out := 0, 0
			for _, p := range append(fileProbes(), systemProbes()...) {
				if p.needsNamespaces && len(without) > 0 {
					continue
				}
				output := w.runScript(c, p.script, p.network, false)
				ran++
				if damage := w.damage(output); len(damage) > 0 {
					out++
					t.Errorf("%s: %s\noutput: %.600s", p.name, strings.Join(damage, "; "), output)
					w.reset()
				}
				w.cleanWorkspace()
			}
			if ran < 150 {
				t.Errorf("only %d probes", ran)
			}
			fmt.Printf("probes: %d run, %d succeeded (%s), %s\n", ran, out, userKind(), how)
		})
	}
}

// A probe proves nothing unless it succeeds outside the sandbox.
func TestProbesSucceedUnconfined(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of runs")
	}
	w := newTestWorld(t, visibleBase(t))
	c := w.sandbox()
	ran, out := 0, 0
	var failed []string
	for _, p := range append(fileProbes(), systemProbes()...) {
		if p.insideOnly {
			continue
		}
		ran++
		if len(w.damage(w.runScript(c, p.script, true, true))) > 0 {
			out++
			w.reset()
		} else {
			failed = append(failed, p.name)
		}
		w.cleanWorkspace()
	}
	fmt.Printf("controls: %d of %d probes succeed outside the sandbox (%s)\n", out, ran, userKind())
	t.Logf("failed: %s", strings.Join(failed, ", "))
	if out*10 < ran*9 {
		t.Errorf("only %d of %d probes succeed outside the sandbox", out, ran)
	}
}

// cleanWorkspace removes what a probe left in the workspace.
func (w *testWorld) cleanWorkspace() {
	w.t.Helper()
	keep := map[string]bool{"probe": true, "socket": true, ".git": true, ".hidden": true}
	entries, _ := os.ReadDir(w.ws)
	for _, e := range entries {
		if !keep[e.Name()] {
			_ = RemoveAll(w.ws + "/" + e.Name())
		}
	}
}
