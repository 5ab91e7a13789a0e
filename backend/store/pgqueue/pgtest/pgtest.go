// Package pgtest starts Postgres for tests.
package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Start starts an empty Postgres in a folder of its own, and returns the address of its database. It skips the test if
// Debian's package postgresql is not installed.
func Start(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := owner(t, dir)
	data := filepath.Join(dir, "data")
	initdb := command(t, as, "initdb", "--pgdata", data, "--username", "sextant", "--auth", "trust", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := command(t, as, "postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // ends it at once
		_ = server.Wait()
	})
	const limit, pause = time.Minute, 50 * time.Millisecond
	address := "postgres:///postgres?user=sextant&host=" + dir
	for end := time.Now().Add(limit); ; time.Sleep(pause) {
		conn, err := pgx.Connect(t.Context(), address)
		if err == nil {
			err = conn.Close(t.Context())
		}
		if err == nil {
			return address
		}
		if time.Now().After(end) {
			t.Fatal("Postgres does not start: ", err)
		}
	}
}

// owner returns the user that Postgres runs as, nil for the one of the test: it refuses to run as root.
func owner(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if unknown := user.UnknownUserError(""); errors.As(err, &unknown) {
		t.Skip("Debian's package postgresql is not installed")
	} else if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // both are small
}

func command(t testing.TB, as *syscall.Credential, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is valid
		if len(found) == 0 {
			t.Skip("Debian's package postgresql is not installed")
		}
		path = found[len(found)-1]
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = os.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
	// The context of the test ends before its cleanups, which end the server.
	cmd.Cancel = func() error { return nil }
	return cmd
}
