package mcpclient

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/launch"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/toolspec"
)

// addShell gives a server a tool that runs any command, as a compromised one would.
func addShell(s *sdk.Server) {
	s.AddTool(&sdk.Tool{Name: "shell", Description: "Runs it.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Text string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			out, err := exec.CommandContext(ctx, "sh", "-c", in.Text).CombinedOutput()
			r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(out)}}, IsError: err != nil}
			return r, nil
		})
}

// machine is a user's machine with files that a server may look for.
type machine struct {
	base, home, data, token string
	sandbox                 *launch.Sandbox
}

func newMachine(t *testing.T, without ...string) *machine {
	t.Helper()
	base, err := os.MkdirTemp("/var/lib", "sextant-mcp-")
	if err != nil {
		if base, err = os.MkdirTemp(filepath.Join(os.Getenv("HOME"), ".cache"), "sextant-mcp-"); err != nil {
			t.Skip("there is no folder outside of the temporary ones")
		}
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	m := &machine{base: base, home: base + "/ada", data: base + "/ada/.local/share/sextant", token: "t0ken" +
		strconv.Itoa(os.Getpid())}
	for _, file := range []string{
		"ada/.ssh/id_ed25519", "ada/.aws/credentials", "ada/.bash_history", "ada/.config/google-chrome/Cookies",
		"ada/letter.txt", "ada/.npmrc",
		"ada/.local/share/sextant/sextant.db", "ada/.local/share/sextant/token",
		"ada/.local/share/sextant/mcp-servers/other/secret",
	} {
		m.file(t, file, m.token)
	}
	m.file(t, "elsewhere/file", "as it was")
	m.file(t, "ada/.bashrc", "# as it was")
	m.file(t, "ada/project/notes.txt", "work")
	m.file(t, "ada/project/.git/hooks/pre-commit", "# as it was")
	m.file(t, "ada/.npmrc", "registry=https://packages.example/\n//packages.example/:_authToken="+m.token+"\n")
	own := []string{m.data, m.home + "/.config/sextant"}
	m.sandbox = &launch.Sandbox{
		Confine: confine.New(
			confine.Config{Home: m.home, SecretPaths: own, DisabledMechanisms: without},
		), Home: m.home, Homes: m.data +
			"/mcp-servers", OwnFolders: own,
		Places:         protectedpaths.New(protectedpaths.OwnFolders{Home: m.home, Data: m.data, Config: own[1]}),
		ForbiddenPaths: func(context.Context) ([]string, error) { return nil, nil },
	}
	if ok, _, why := m.sandbox.Confine.Available(); !ok {
		t.Skip("no sandbox here: " + why)
	}
	return m
}

func (m *machine) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(m.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, text)
}

// shell has the server do something; ok is false where it failed.
func shell(t *testing.T, s *Servers, text string) (out string, ok bool) {
	t.Helper()
	args, _ := json.Marshal(map[string]string{"text": text})
	r := call(t, s, "taken__shell", string(args))
	if r.Success {
		output, _ := r.Value.(string)
		return output, true
	}
	return r.Error, false
}

func TestCompromisedServerIsConfined(t *testing.T) {
	for name, without := range map[string][]string{"namespaces": nil, "Landlock alone": {"bubblewrap"}} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, without...)
			victim := exec.Command("sleep", "600")
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
			s, _, _ := startedWith(t, configText(`"taken": `+
				stdio(t, "shell", `, "args": ["`+m.home+`/project", "`+m.home+`/.ssh"]`)),
				Config{Sandbox: m.sandbox, Folder: func() string { return m.home }})
			waitForState(t, s, "taken", stateReady)
			tries, out := 0, ""
			try := func(what string) {
				tries++
				text, _ := shell(t, s, what+" 2>&1; true")
				if strings.Contains(text, m.token) {
					t.Errorf("%s: it read what it must not: %.200s", what, text)
				}
				out = text
			}
			for _, file := range []string{
				".ssh/id_ed25519", ".aws/credentials", ".bash_history", ".config/google-chrome/Cookies", "letter.txt",
				".npmrc", ".local/share/sextant/sextant.db",
				".local/share/sextant/token", ".local/share/sextant/mcp-servers/other/secret", "project/../letter.txt",
			} {
				try("cat " + m.home + "/" + file)
			}
			try("grep -rs " + m.token + " " + m.base + " /tmp /var/tmp /dev/shm")
			try("ln -s " + m.home + "/.ssh " + m.home + "/project/link; cat " + m.home + "/project/link/id_ed25519")
			try("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'")
			if strings.Contains(out, "sleep\n600") {
				t.Errorf("it sees other programs: %s", out)
			}
			try("kill -9 " + strconv.Itoa(victim.Process.Pid) + " " + strconv.Itoa(os.Getpid()))
			if !alive(victim.Process.Pid) {
				t.Error("it killed another program")
			}
			if text, ok := shell(t, s, "cat ~/.npmrc"); !ok || text != "registry=https://packages.example/\n" {
				t.Errorf("of the settings of npm it has %q", text)
			}
			for _, target := range []string{
				m.home + "/.bashrc", m.home + "/elsewhere.txt", m.base + "/elsewhere/file",
				m.base + "/elsewhere/new", m.home + "/project/.git/hooks/pre-commit", m.data + "/token", m.home +
					"/.npmrc",
			} {
				if name != "namespaces" && strings.Contains(target, ".git/") {
					continue // said in docs/security.md
				}
				before, _ := os.ReadFile(target)
				try("echo evil >> " + target)
				if after, _ := os.ReadFile(target); string(after) != string(before) {
					t.Errorf("it wrote %s", target)
				}
			}
			if text, ok := shell(t, s, "echo done > "+m.home+"/project/made.txt && cat "+m.home+"/project/notes.txt "+
				"&& echo kept > ~/kept && echo x > $TMPDIR/own"); !ok || text != "work" {
				t.Errorf("it cannot use what it was granted: %s", text)
			}
			if body, err := os.ReadFile(m.home + "/project/made.txt"); err != nil || string(body) != "done\n" {
				t.Errorf("what it wrote is %q, %v", body, err)
			}
			// A child that leaves its group and session ends with it.
			try("(setsid sleep 4321 >/dev/null 2>&1 &)")
			s.Close()
			if found, _ := exec.Command("pgrep", "-fx", "sleep 4321").Output(); len(found) > 0 {
				t.Errorf("a child was left: %s", found)
			}
			t.Logf("%d tries, 0 went through", tries)
		})
	}
}

func TestConfinedServerGetsSIGTERMFirst(t *testing.T) {
	m := newMachine(t)
	m.file(t, "ada/polite.sh", "#!/bin/sh\ntrap 'echo bye > ~/bye; exit 0' TERM\nwhile :; do sleep 0.05; done\n")
	if err := os.Chmod(m.home+"/polite.sh", 0o755); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Sandbox: m.sandbox})
	v := newServer(s, "polite", "polite", config.Entry{Command: m.home + "/polite.sh"}, "")
	conn, err := v.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it runs", func() bool {
		found, _ := exec.Command("pgrep", "-f", m.home+"/polite.sh").Output()
		return len(found) > 0
	})
	time.Sleep(200 * time.Millisecond) // until the trap is set
	conn.process.Stop(4 * time.Second)
	_ = conn.stdout.Close()
	homes, err := filepath.Glob(m.sandbox.Homes + "/polite-*/bye")
	if err != nil || len(homes) != 1 {
		t.Fatalf("it was not asked: %q, %v", homes, err)
	}
	if body, err := os.ReadFile(homes[0]); err != nil || string(body) != "bye\n" {
		t.Errorf("it was not asked: %q, %v", body, err)
	}
	if conn.process.ExitStatus() != "exit 0" {
		t.Errorf("got %s", conn.process.ExitStatus())
	}
}

func TestSandboxRefusalNamesMissingGrant(t *testing.T) {
	m := newMachine(t)
	m.file(t, "ada/vault/page.md", "x")
	s, _, _ := startedWith(t, configText(`"taken": `+
		stdio(t, "shell", `, "sextant": {"grants": {"read": ["~/vault"], "network": []}}`)), Config{Sandbox: m.sandbox})
	waitForState(t, s, "taken", stateReady)
	r := s.Call(t.Context(), "taken", "shell", []byte(`{"text":"echo x > `+m.home+`/vault/page.md"}`))
	mustFail(t, r, toolspec.UserError, "The sandbox does not let it write "+m.home+"/vault/page.md",
		"sextant.grants.write")
	r = s.Call(t.Context(), "taken", "shell", []byte(`{"text":"cat `+m.home+`/letter.txt"}`))
	mustFail(t, r, toolspec.UserError, "does not let it read "+m.home+"/letter.txt", "sextant.grants.read")
	r = s.Call(t.Context(), "taken", "shell", []byte(`{"text":"echo getaddrinfo EAI_AGAIN api.example.com; exit 1"}`))
	mustFail(t, r, toolspec.UserError, "granted no network", "sextant.grants.network")
}

func TestStartWithoutSandboxNeedsApproval(t *testing.T) {
	asked := make(chan string, 10)
	answer := atomic.Bool{}
	box := &launch.Sandbox{
		Confine: confine.New(confine.Config{DisabledMechanisms: []string{"bubblewrap", "landlock"}}),
		Homes:   t.TempDir(), ConfirmUnsandboxed: func(_ context.Context, server, line, why string) (bool, error) {
			asked <- server + ": " + why
			return answer.Load(), nil
		},
	}
	s, _, _ := startedWith(t, configText(`"taken": `+stdio(t, "shell", "")+`, "off": `+
		stdio(t, "shell", `, "sextant": {"confine": "off"}`)), Config{Sandbox: box})
	waitForState(t, s, "off", stateReady)
	v := waitForState(t, s, "taken", stateDown)
	if !strings.Contains(v.Error, "there is no sandbox on this machine") ||
		!strings.Contains(v.Error, "the answer was no") || v.NextTry != nil {
		t.Errorf("got %+v", v)
	}
	answer.Store(true)
	if err := s.Restart("taken"); err != nil {
		t.Fatal(err)
	}
	waitForState(t, s, "taken", stateReady)
	if err := s.Restart("taken"); err != nil {
		t.Fatal(err)
	}
	waitForState(t, s, "taken", stateReady)
	if len(asked) != 2 {
		t.Errorf("asked %d times", len(asked))
	}
}
