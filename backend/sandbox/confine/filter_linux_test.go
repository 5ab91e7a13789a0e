package confine

import (
	"runtime"
	"slices"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// A name that the table does not hold would be let through in silence.
func TestTheFilterKnowsTheCallsItDenies(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the list of what this processor never had is another one")
	}
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	never := []string{"umount", "stime", "bdflush", "vm86", "vm86old", "sysfs", "nfsservctl"}
	for _, name := range slices.Concat(neverCalled, neverAlone, notThere) {
		if _, ok := info.SyscallNames[name]; !ok && !slices.Contains(never, name) {
			t.Errorf("%s is denied in name only", name)
		}
	}
	for _, in := range []inner{{}, {Network: true}, {Namespaces: true}, {Namespaces: true, Network: true}} {
		if code, err := in.filter(); err != nil || len(code) < 100 {
			t.Errorf("%+v: %d instructions, %v", in, len(code), err)
		}
	}
}
