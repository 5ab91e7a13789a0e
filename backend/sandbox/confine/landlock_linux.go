package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// The Landlock ABI versions that introduced moving files between folders, blocking ports, scoping signals and abstract
// sockets, and restricting sockets in the file system.
const (
	landlockABIRefer   = 2
	landlockABIPorts   = 4
	landlockABIScopes  = 6
	landlockABISockets = 9
)

func landlockVersion() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

const (
	readFile  = landlock.AccessFSSet(ll.AccessFSExecute | ll.AccessFSReadFile)
	readDir   = readFile | ll.AccessFSReadDir
	writeFile = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeDir  = writeFile | readDir | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	useDevice = landlock.AccessFSSet(
		ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev)
)

func (in *innerPlan) applyLandlock() error {
	version := landlockVersion()
	if version < landlockABIRefer {
		return fmt.Errorf("the kernel has Landlock version %d, which is too old", version)
	}
	var rules []landlock.Rule
	for _, path := range in.Read {
		rules = append(rules, pathRule(path, readFile, readDir)...)
	}
	for _, path := range in.Write {
		rules = append(rules, pathRule(path, writeFile, writeDir)...)
	}
	for _, path := range in.Devices {
		rules = append(rules, pathRule(path, useDevice, useDevice)...)
	}
	// The run controls its own terminals.
	if in.Namespaces {
		rules = append(rules, pathRule("/dev/pts", useDevice, useDevice)...)
	}
	cfg := landlock.V9
	if !in.Network && !in.Namespaces || in.Network && len(in.BlockedPorts) > 0 {
		if version < landlockABIPorts && in.Network {
			if in.AllowBlockedPorts {
				in.BlockedPorts = nil
				return in.applyLandlock()
			}
			return errors.New("this kernel's Landlock cannot block ports, so a run with network could reach Sextant")
		}
		rules = append(rules, in.allowPorts()...)
		if in.Network {
			cfg.HandledAccessNet = ll.AccessNetConnectTCP // listening is allowed
		}
	} else {
		// The run has its own network, or unrestricted access to the machine's.
		cfg.HandledAccessNet = 0
	}
	return cfg.BestEffort().Restrict(rules...)
}

// allowPorts returns a rule for every port that is not blocked, because rules can only allow. Without a network it
// returns none.
func (in *innerPlan) allowPorts() []landlock.Rule {
	if !in.Network {
		return nil
	}
	rules := make([]landlock.Rule, 0, 1<<16)
	for port := range 1 << 16 {
		if !slices.Contains(in.BlockedPorts, uint16(port)) {
			rules = append(rules, landlock.ConnectTCP(uint16(port)))
		}
	}
	return rules
}

func pathRule(path string, file, dir landlock.AccessFSSet) []landlock.Rule {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return []landlock.Rule{landlock.PathAccess(dir, path).IgnoreIfMissing()}
	}
	return []landlock.Rule{landlock.PathAccess(file, path).IgnoreIfMissing()}
}
