package secrets_test

import (
	"bufio"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	ss "github.com/zalando/go-keyring/secret_service"

	"sextant/backend/sandbox/secrets"
)

const secretService = "org.freedesktop.Secret."

// collection is the part of a Secret Service that keeps things: the service of desktops as its
// specification has it, without encryption on the bus.
type collection struct {
	conn *dbus.Conn
	mu   sync.Mutex
	all  map[dbus.ObjectPath]*item
	made int
}

type item struct {
	of     *collection
	path   dbus.ObjectPath
	attrs  map[string]string
	secret ss.Secret
}

type service struct{}

type session struct{}

func (service) OpenSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), "/org/freedesktop/secrets/session/1", nil
}

func (service) Unlock(all []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	return all, "/", nil
}

func (session) Close() *dbus.Error { return nil }

func (c *collection) SearchItems(attrs map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := []dbus.ObjectPath{}
	for path, one := range c.all {
		if maps.Equal(one.attrs, attrs) {
			found = append(found, path)
		}
	}
	return found, nil
}

func (c *collection) CreateItem(properties map[string]dbus.Variant, secret ss.Secret, _ bool) (dbus.ObjectPath,
	dbus.ObjectPath, *dbus.Error,
) {
	attrs, _ := properties[secretService+"Item.Attributes"].Value().(map[string]string)
	if there, _ := c.SearchItems(attrs); len(there) > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all[there[0]].secret = secret
		return there[0], "/", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	one := &item{
		of: c, path: dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/secrets/collection/login/%d", c.made)),
		attrs: attrs, secret: secret,
	}
	if err := c.conn.Export(one, one.path, secretService+"Item"); err != nil {
		return "/", "/", dbus.MakeFailedError(err)
	}
	c.all[one.path] = one
	return one.path, "/", nil
}

// size is how many items there are.
func (c *collection) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

func (i *item) GetSecret(dbus.ObjectPath) (ss.Secret, *dbus.Error) {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	return i.secret, nil
}

func (i *item) Delete() (dbus.ObjectPath, *dbus.Error) {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	delete(i.of.all, i.path)
	return "/", nil
}

// bus starts a real session bus with a Secret Service on it.
func bus(t *testing.T) *collection {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("there is no dbus-daemon here")
	}
	cmd := exec.CommandContext(t.Context(), daemon, "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &collection{conn: conn, all: map[dbus.ObjectPath]*item{}}
	for _, e := range []struct {
		value any
		path  dbus.ObjectPath
		name  string
	}{
		{service{}, "/org/freedesktop/secrets", "Service"},
		{session{}, "/org/freedesktop/secrets/session/1", "Session"},
		{c, "/org/freedesktop/secrets/aliases/default", "Collection"},
	} {
		if err := conn.Export(e.value, e.path, secretService+e.name); err != nil {
			t.Fatal(err)
		}
	}
	if reply, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil ||
		reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
	return c
}

// TestASecretServiceOnARealBusKeepsTheValues: over D-Bus, through the library, as on a desktop. It runs
// before the library's mock takes its place for good.
func TestASecretServiceOnARealBusKeepsTheValues(t *testing.T) {
	c := bus(t)
	dir := filepath.Join(t.TempDir(), "secrets")
	chain, why := secrets.Desktop(dir)
	if chain == nil {
		t.Fatal(why)
	}
	v, err := secrets.Open(secrets.Config{Dir: dir, Keychain: chain})
	if err != nil {
		t.Fatal(err)
	}
	put(t, v, "one", "a.example", "välue\nof one")
	put(t, v, "one", "a.example", "a newer value")
	again, err := secrets.Open(secrets.Config{Dir: dir, Keychain: chain})
	if err != nil {
		t.Fatal(err)
	}
	text, err := again.Fill("{{secret:one}}", secrets.Sink{Place: secrets.Header, Origin: "https://a.example"}, nil)
	if err != nil || text != "a newer value" || again.List()[0].Kept != "keychain" || c.size() != 1 {
		t.Errorf("%q, %v, %+v, %d items", text, err, again.List(), c.size())
	}
	if again.Mask("a newer value") != "{{secret:one}}" {
		t.Error("what the keychain keeps is not masked")
	}
	if err := again.Delete("one"); err != nil || c.size() != 0 {
		t.Errorf("after deleting: %v, %d items", err, c.size())
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "values.json*")); len(files) != 0 {
		t.Errorf("with a keychain there is %v", files)
	}
}
