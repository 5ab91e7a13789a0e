package secrets_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	ss "github.com/zalando/go-keyring/secret_service"

	"sextant/backend/sandbox/secrets"
	"sextant/build/sessionbus"
)

const secretService = "org.freedesktop.Secret."

// collection is the collection object of a freedesktop.org Secret Service, without encryption on the bus.
type collection struct {
	conn    *dbus.Conn
	mu      sync.Mutex
	items   map[dbus.ObjectPath]*item
	created int
}

type item struct {
	parent *collection
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
	for path, it := range c.items {
		if maps.Equal(it.attrs, attrs) {
			found = append(found, path)
		}
	}
	return found, nil
}

func (c *collection) CreateItem(properties map[string]dbus.Variant, secret ss.Secret, _ bool) (dbus.ObjectPath,
	dbus.ObjectPath, *dbus.Error,
) {
	attrs, _ := properties[secretService+"Item.Attributes"].Value().(map[string]string)
	if existing, _ := c.SearchItems(attrs); len(existing) > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.items[existing[0]].secret = secret
		return existing[0], "/", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created++
	it := &item{
		parent: c, path: dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/secrets/collection/login/%d", c.created)),
		attrs: attrs, secret: secret,
	}
	if err := c.conn.Export(it, it.path, secretService+"Item"); err != nil {
		return "/", "/", dbus.MakeFailedError(err)
	}
	c.items[it.path] = it
	return it.path, "/", nil
}

// size returns the number of items.
func (c *collection) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items)
}

func (i *item) GetSecret(dbus.ObjectPath) (ss.Secret, *dbus.Error) {
	i.parent.mu.Lock()
	defer i.parent.mu.Unlock()
	return i.secret, nil
}

func (i *item) Delete() (dbus.ObjectPath, *dbus.Error) {
	i.parent.mu.Lock()
	defer i.parent.mu.Unlock()
	delete(i.parent.items, i.path)
	return "/", nil
}

// startBus starts a real session bus with a Secret Service on it.
func startBus(t *testing.T) *collection {
	t.Helper()
	conn := sessionbus.Start(t)
	c := &collection{conn: conn, items: map[dbus.ObjectPath]*item{}}
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

// TestSecretServiceStoresValues uses a real D-Bus session bus. It must run before keyring.MockInit, which cannot be
// undone.
func TestSecretServiceStoresValues(t *testing.T) {
	c := startBus(t)
	dir := filepath.Join(t.TempDir(), "secrets")
	keychain, reason := secrets.DesktopKeychain(dir)
	if keychain == nil {
		t.Fatal(reason)
	}
	v, err := secrets.Open(secrets.Config{Dir: dir, Keychain: keychain})
	if err != nil {
		t.Fatal(err)
	}
	put(t, v, "one", "a.example", "välue\nof one")
	put(t, v, "one", "a.example", "a newer value")
	again, err := secrets.Open(secrets.Config{Dir: dir, Keychain: keychain})
	if err != nil {
		t.Fatal(err)
	}
	sink := secrets.Sink{Place: secrets.PlaceHeader, Origin: "https://a.example"}
	text, err := again.Fill("{{secret:one}}", sink, nil)
	if err != nil || text != "a newer value" || again.List()[0].Storage != "keychain" || c.size() != 1 {
		t.Errorf("%q, %v, %+v, %d items", text, err, again.List(), c.size())
	}
	if again.Mask("a newer value") != "{{secret:one}}" {
		t.Error("a value in the keychain is not masked")
	}
	if err := again.Delete("one"); err != nil || c.size() != 0 {
		t.Errorf("after deleting: %v, %d items", err, c.size())
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "values.json*")); len(files) != 0 {
		t.Errorf("with a keychain there are files %v", files)
	}
}
