package launch_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/browser/launch"
)

const asParent = "SEXTANT_TEST_BROWSER_PARENT"

// TestMain lets the test binary play the program that dies: with asParent set it starts a
// Chromium, prints its process id and waits to be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(asParent); dir != "" {
		path, _ := launch.Find("")
		p, err := launch.Start(context.Background(), launch.Options{Path: path, Headless: true, ProfileDir: dir})
		if err != nil {
			os.Exit(1)
		}
		_ = p.Pipe.Send([]byte(`{"id":1,"method":"Browser.getVersion"}`))
		if _, err := p.Pipe.Read(); err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(p.PID) + "\n")
		select {}
	}
	goleak.VerifyTestMain(m)
}

func requireChromium(t *testing.T) string {
	t.Helper()
	path, err := launch.Find("")
	if errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	return path
}

// processesUsing lists processes whose command line names dir.
func processesUsing(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range lines {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), dir) {
			found = append(found, f)
		}
	}
	return found
}

func TestNoChromiumIsLeftWhenProgramIsKilled(t *testing.T) {
	requireChromium(t)
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asParent+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		t.Fatalf("the program did not start its browser: %v", err)
	}
	if len(processesUsing(t, dir)) == 0 {
		t.Fatal("no browser process to look at")
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.Now().Add(30 * time.Second)
	for left := processesUsing(t, dir); len(left) > 0; left = processesUsing(t, dir) {
		if time.Now().After(deadline) {
			t.Fatalf("browser %s outlived the program: %v", strings.TrimSpace(line), left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProfileLock(t *testing.T) {
	path := requireChromium(t)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lock := filepath.Join(dir, "SingletonLock")
	// The highest number a process can have here is far below this one.
	if err := os.Symlink(host+"-2147483646", lock); err != nil {
		t.Fatal(err)
	}
	first, err := launch.Start(t.Context(), launch.Options{Path: path, Headless: true, ProfileDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if first.TemporaryProfile {
		t.Error("a stale lock made the profile count as taken")
	}
	_ = first.Pipe.Send([]byte(`{"id":1,"method":"Browser.getVersion"}`))
	if _, err := first.Pipe.Read(); err != nil {
		t.Fatalf("no answer over the pipe: %v; the browser said: %s", err, first.Stderr())
	}
	second, err := launch.Start(t.Context(), launch.Options{Path: path, Headless: true, ProfileDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !second.TemporaryProfile {
		t.Error("a profile in use was given to a second browser")
	}
	for _, p := range []*launch.Process{second, first} {
		p.Kill()
		if err := p.Close(time.Second); err != nil {
			t.Error(err)
		}
	}
}

func TestFindMissingBrowser(t *testing.T) {
	if _, err := launch.Find("/no/such/chromium"); !errors.Is(err, launch.ErrNotFound) {
		t.Errorf("a wrong setting gives %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if path, err := launch.Find(""); err == nil && strings.HasPrefix(path, os.TempDir()) {
		t.Errorf("found %s in an empty PATH", path)
	}
}
