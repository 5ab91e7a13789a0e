package inspect

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

type network struct {
	Interfaces []netInterface `json:"interfaces"`
	// Listening contains the TCP sockets that accept connections, such as "127.0.0.1:8080".
	Listening   []string `json:"listening"`
	Established int      `json:"established"`
}

type netInterface struct {
	Name      string   `json:"name"`
	Up        bool     `json:"up"`
	Addresses []string `json:"addresses"`
}

// States of a socket in /proc/net/tcp.
const (
	stateEstablished = "01"
	stateListening   = "0A"
)

func (t *Tools) network() network {
	n := network{Interfaces: []netInterface{}, Listening: []string{}}
	links, _ := net.Interfaces() // after an error, the list is empty
	for _, l := range links {
		one := netInterface{Name: l.Name, Up: l.Flags&net.FlagUp != 0, Addresses: []string{}}
		addresses, _ := l.Addrs()
		for _, a := range addresses {
			one.Addresses = append(one.Addresses, a.String())
		}
		n.Interfaces = append(n.Interfaces, one)
	}
	for _, file := range []string{"tcp", "tcp6"} {
		for line := range strings.Lines(t.proc("net", file)) {
			f := strings.Fields(line)
			if len(f) < 4 {
				continue
			}
			switch f[3] {
			case stateEstablished:
				n.Established++
			case stateListening:
				if at, ok := socket(f[1]); ok {
					n.Listening = append(n.Listening, at)
				}
			}
		}
	}
	slices.Sort(n.Listening)
	n.Listening = slices.Compact(n.Listening)
	return n
}

// socket parses an address of /proc/net/tcp: 32-bit words in hexadecimal, in the byte order of the machine, and a port.
func socket(s string) (string, bool) {
	host, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	n, errPort := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || errPort != nil || len(b) != 4 && len(b) != 16 {
		return "", false
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)).String(), ok
}

func (n network) write(b *strings.Builder) {
	write := func(format string, a ...any) { _, _ = fmt.Fprintf(b, format, a...) }
	b.WriteString("Network:\n")
	for _, l := range n.Interfaces {
		state := "down"
		if l.Up {
			state = "up"
		}
		write("  %s (%s): %s\n", l.Name, state, strings.Join(l.Addresses, ", "))
	}
	write("Listening on TCP: %s\nEstablished connections: %d\n", strings.Join(n.Listening, ", "), n.Established)
}
