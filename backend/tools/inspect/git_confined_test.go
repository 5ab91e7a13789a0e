package inspect

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever git comes to start, it has the walls of a command that only reads: here git itself is a
// program that means harm.
func TestGitRunsInAReadOnlySandbox(t *testing.T) {
	tools, folder := newTools(t)
	if ok, _, why := tools.cfg.Sandbox.Available(); !ok {
		t.Skip(why)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	heard := make(chan struct{}, 1)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			heard <- struct{}{}
		}
	}()
	home := filepath.Dir(folder)
	for path, body := range map[string]string{
		filepath.Join(home, ".ssh", "id_ed25519"): "t0ken\n",
		filepath.Join(folder, ".git", "HEAD"):     "ref: refs/heads/main\n",
		filepath.Join(folder, "bin", "git"): "#!/bin/bash\n[ \"$3\" = config ] && exit 0\necho it ran\ncat " + home +
			"/.ssh/id_ed25519\n" +
			"echo x > " + folder + "/made\necho x >> " + folder + "/.git/HEAD\necho x > " + home + "/made\n" +
			"(exec 3<>/dev/tcp/" + strings.ReplaceAll(ln.Addr().String(), ":", "/") + ")\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(folder, ".git", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	r := run(t, tools, "git_read", map[string]any{"command": "log"})
	if text := r.ModelText(); !strings.Contains(text, "it ran") && !strings.Contains(text, "made: ") {
		t.Fatalf("the program did not run: %s", text)
	}
	if strings.Contains(r.ModelText(), "t0ken") {
		t.Errorf("it read a secret: %s", r.ModelText())
	}
	for _, path := range []string{filepath.Join(folder, "made"), filepath.Join(home, "made")} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("it wrote %s", path)
		}
	}
	if body, _ := os.ReadFile(filepath.Join(folder, ".git", "HEAD")); string(body) != "ref: refs/heads/main\n" {
		t.Errorf("it changed the repository: %q", body)
	}
	_ = ln.Close()
	<-served
	select {
	case <-heard:
		t.Error("it reached the network")
	default:
	}
}
