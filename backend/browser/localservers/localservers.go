// Package localservers finds the servers that a person runs in a folder, such as the development server of a project.
package localservers

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/subpath"
	"sextant/shared/wire"
)

// listening is the state of a socket that waits for connections, in the tables of the kernel.
const listening = "0A"

// List returns the servers on this machine's own addresses whose program works in folder or below it, ordered by port.
// Of a folder that contains the home folder it returns none, because most programs work there. It asks only the kernel
// (proc(5)) and returns none where there is no /proc.
func List(folder string) []wire.LocalServer {
	home, _ := os.UserHomeDir()
	root, err := filepath.EvalSymlinks(folder)
	if err != nil || home != "" && subpath.IsWithin(home, root) {
		return []wire.LocalServer{}
	}
	ports, own := listeningPorts(), fmt.Sprintf("/proc/%d", os.Getpid())
	found := map[uint16]string{}
	programs, _ := filepath.Glob("/proc/[0-9]*")
	for _, program := range programs {
		// Only the person's own programs can be read.
		works, err := os.Readlink(program + "/cwd")
		if err != nil || !subpath.IsWithin(works, root) || program == own {
			continue
		}
		files, _ := filepath.Glob(program + "/fd/*")
		for _, file := range files {
			socket, _ := os.Readlink(file)
			if port, ok := ports[socket]; ok {
				name, _ := os.ReadFile(program + "/comm")
				found[port] = strings.TrimSpace(string(name))
			}
		}
	}
	list := make([]wire.LocalServer, 0, len(found))
	for _, port := range slices.Sorted(maps.Keys(found)) {
		list = append(list, wire.LocalServer{URL: fmt.Sprintf("http://localhost:%d/", port), Program: found[port]})
	}
	return list
}

// listeningPorts returns the ports on which this machine can be reached from itself, by socket ("socket:[4711]").
func listeningPorts() map[string]uint16 {
	ports := map[string]uint16{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || fields[3] != listening {
				continue
			}
			if at, ok := parse(fields[1]); ok && (at.Addr().IsLoopback() || at.Addr().IsUnspecified()) {
				ports["socket:["+fields[9]+"]"] = at.Port()
			}
		}
	}
	return ports
}

// parse reads an address such as 0100007F:1F90: words of four bytes in the machine's order, then the port.
func parse(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	address, err := hex.DecodeString(host)
	number, portErr := hex.DecodeString(port)
	if err != nil || portErr != nil || len(address)%4 != 0 || len(number) != 2 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(address); i += 4 {
		binary.NativeEndian.PutUint32(address[i:], binary.BigEndian.Uint32(address[i:]))
	}
	at, ok := netip.AddrFromSlice(address)
	return netip.AddrPortFrom(at.Unmap(), binary.BigEndian.Uint16(number)), ok
}
