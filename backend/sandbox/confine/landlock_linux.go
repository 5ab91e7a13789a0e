package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Versions of Landlock's interface from which it can do what is needed: move files between
// folders (older ones never let a program), close ports, keep signals and abstract sockets
// inside, keep sockets of the file system outside.
const (
	landlockMoves   = 2
	landlockPorts   = 4
	landlockScopes  = 6
	landlockSockets = 9
)

// landlockVersion is the version of the interface that the kernel offers, 0 for none.
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

// restrict puts up the wall of Landlock around the process for good.
func (in *inner) restrict() error {
	version := landlockVersion()
	if version < landlockMoves {
		return fmt.Errorf("version %d is too old", version)
	}
	var rules []landlock.Rule
	for _, path := range in.Read {
		rules = append(rules, rule(path, readFile, readDir)...)
	}
	for _, path := range in.Write {
		rules = append(rules, rule(path, writeFile, writeDir)...)
	}
	for _, path := range in.Devices {
		rules = append(rules, rule(path, useDevice, useDevice)...)
	}
	// Terminals of the run's own need to be controlled.
	if in.Namespaces {
		rules = append(rules, rule("/dev/pts", useDevice, useDevice)...)
	}
	cfg := landlock.V9
	if !in.Network && !in.Namespaces || in.Network && len(in.Closed) > 0 {
		if version < landlockPorts && in.Network {
			if in.OwnPorts {
				in.Closed = nil
				return in.restrict()
			}
			return errors.New("this kernel's Landlock cannot close ports, so a run with network would reach Sextant " +
				"itself")
		}
		rules = append(rules, in.openPorts()...)
		if in.Network {
			cfg.HandledAccessNet = ll.AccessNetConnectTCP // listening is free
		}
	} else {
		// A network of its own, or all of the machine's.
		cfg.HandledAccessNet = 0
	}
	return cfg.BestEffort().Restrict(rules...)
}

// openPorts allows every port but the closed ones: a rule each, because a rule can only allow.
// Without network there is none.
func (in *inner) openPorts() []landlock.Rule {
	if !in.Network {
		return nil
	}
	rules := make([]landlock.Rule, 0, 1<<16)
	for port := range 1 << 16 {
		if !slices.Contains(in.Closed, uint16(port)) {
			rules = append(rules, landlock.ConnectTCP(uint16(port)))
		}
	}
	return rules
}

// rule allows file on path when it is a file, dir when it is a folder, nothing when it is not there.
func rule(path string, file, dir landlock.AccessFSSet) []landlock.Rule {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return []landlock.Rule{landlock.PathAccess(dir, path).IgnoreIfMissing()}
	}
	return []landlock.Rule{landlock.PathAccess(file, path).IgnoreIfMissing()}
}
