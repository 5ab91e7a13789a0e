package confine

import (
	"runtime"
	"slices"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// A name that the library does not know would be allowed silently.
func TestSeccompProgramKnowsDeniedCalls(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the list of calls that never existed is for amd64")
	}
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	neverExisted := []string{"umount", "stime", "bdflush", "vm86", "vm86old", "sysfs", "nfsservctl"}
	for _, name := range slices.Concat(deniedCalls, deniedWithoutNamespaces, absentCalls) {
		if _, ok := info.SyscallNames[name]; !ok && !slices.Contains(neverExisted, name) {
			t.Errorf("%s is unknown, so it is not denied", name)
		}
	}
	for _, in := range []innerPlan{{}, {Network: true}, {Namespaces: true}, {Namespaces: true, Network: true}} {
		if code, err := in.seccompProgram(); err != nil || len(code) < 100 {
			t.Errorf("%+v: %d instructions, %v", in, len(code), err)
		}
	}
}
