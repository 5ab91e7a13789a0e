package procgroup

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if command := os.Getenv("PROCGROUP_TEST_PARENT"); command != "" {
		runParent(command)
	}
	goleak.VerifyTestMain(m)
}

// runParent starts a child, prints its process ID and waits to be killed.
func runParent(command string) {
	p, err := Start(Spec{Name: "sh", Args: []string{"-c", command}, Env: Environment(), Log: io.Discard, Pipes: true})
	if err != nil {
		panic(err)
	}
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(line)
	<-p.Done()
	os.Exit(0)
}

func alive(pid int) bool {
	state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	_, after, _ := strings.Cut(string(state), ") ")
	return !strings.HasPrefix(after, "Z")
}

func waitUntilDead(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still running", pid)
		}
	}
}

func start(t *testing.T, script string) (*Process, *Tail) {
	t.Helper()
	log := &Tail{}
	p, err := Start(Spec{Name: "sh", Args: []string{"-c", script}, Env: Environment(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p, log
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"success", "exit 0", "exit 0"},
		{"failure", "exit 7", "exit 7"},
		{"signal", "kill -9 $$", "ended by signal killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := start(t, c.script)
			<-p.Done()
			if got := p.ExitStatus(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStopKillsGroupThatIgnoresSIGTERM(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	p, _ := start(t, `trap "" TERM; sleep 600 & echo $! > '`+file+`'; while :; do sleep 0.1; done`)
	var child int
	for deadline := time.Now().Add(30 * time.Second); child == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the script did not start")
		}
		b, _ := os.ReadFile(file)
		child, _ = strconv.Atoi(strings.TrimSpace(string(b)))
	}
	p.Stop(100 * time.Millisecond)
	if p.ExitStatus() != "ended by signal killed" {
		t.Errorf("got %q", p.ExitStatus())
	}
	waitUntilDead(t, child)
	p.Stop(time.Second) // stopping again does nothing
}

func TestChildrenDieWithProgram(t *testing.T) {
	p, log := start(t, `sleep 600 & echo $!`)
	<-p.Done()
	child, err := strconv.Atoi(strings.TrimSpace(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	waitUntilDead(t, child)
}

func TestProgramDiesWhenParentIsKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROCGROUP_TEST_PARENT=echo $$; exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitUntilDead(t, child)
}

func TestPipesDeliverOutputWrittenBeforeExit(t *testing.T) {
	p, err := Start(Spec{
		Name: "sh", Args: []string{"-c", "read x; echo got $x"}, Env: Environment(), Log: io.Discard,
		Pipes: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Stdin, "words\n"); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if b, err := io.ReadAll(p.Stdout); err != nil || string(b) != "got words\n" {
		t.Errorf("got %q, %v", b, err)
	}
	p.Stop(0)
	_ = p.Stdout.Close()
}

func TestStartReportsMissingProgram(t *testing.T) {
	for name, pipes := range map[string]bool{"log": false, "pipes": true} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(Spec{Name: "no-such-program-here", Log: io.Discard, Pipes: pipes})
			if err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTailIsBoundedAndFindsLastLine(t *testing.T) {
	log := &Tail{}
	for range 100 {
		_, _ = log.Write([]byte(strings.Repeat("x", 3000) + "\n"))
	}
	_, _ = log.Write([]byte("Error: no paper\n    at main (a.js:1:2)\n{\n}\n\nNode.js v20.1.0\n"))
	if n := len(log.String()); n > defaultTailBytes {
		t.Errorf("%d bytes are stored", n)
	}
	if got := log.LastLine(); got != "Error: no paper" {
		t.Errorf("got %q", got)
	}
}

func TestCommandLineQuotesArguments(t *testing.T) {
	got := CommandLine("node", []string{"my server.mjs", "it's", "-x", ""})
	if want := `node 'my server.mjs' 'it'\''s' -x ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEnvironmentDropsSecretsAndPrefersExtra(t *testing.T) {
	t.Setenv("SECRET_KEY", "x")
	t.Setenv("LANG", "C")
	env := strings.Join(Environment("LANG=de", "A=b"), " ")
	if strings.Contains(env, "SECRET_KEY") || strings.Contains(env, "LANG=C") || !strings.Contains(env, "LANG=de A=b") {
		t.Errorf("got %s", env)
	}
}
