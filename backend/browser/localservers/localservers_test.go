package localservers

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/wire"
)

const asServer = "SEXTANT_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(listener.Addr().(*net.TCPAddr).Port)
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends
		return
	}
	os.Exit(m.Run())
}

func TestListsServersThatRunInFolder(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(folder+"/site/src", 0o700); err != nil {
		t.Fatal(err)
	}
	start := func(dir string) (port string) {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asServer+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
	inside := start(folder + "/site/src")
	start(folder)
	want := []wire.LocalServer{{URL: "http://localhost:" + inside + "/", Program: filepath.Base(os.Args[0])[:15]}}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder+"/site", link); err != nil {
		t.Fatal(err)
	}
	if list := List(link); len(list) != 1 {
		t.Errorf("through a link: %+v", list)
	}
	t.Setenv("HOME", folder+"/site/src")
	if list := List(folder); len(list) != 0 {
		t.Errorf("around the home folder: %+v", list)
	}
	t.Setenv("HOME", "")
	if diff := cmp.Diff(want, List(folder+"/site")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := List(folder); len(all) != 2 {
		t.Errorf("in the whole folder: %+v", all)
	}
}
