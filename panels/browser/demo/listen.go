package demo

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Host is the host name in the shop's addresses. No name server knows it; the caller maps it to the address from
// Listen.
const Host = "demo.sextant.test"

// Alias returns the shop's address if word is "demo", which a person may type instead of an address.
func Alias(word string) (address string, ok bool) {
	if strings.EqualFold(strings.TrimSpace(word), "demo") {
		return "http://" + Host + "/", true
	}
	return "", false
}

// Listen serves the shop on a free loopback port until stop is called. addr is host:port. stop waits for the end.
func Listen() (addr string, stop func() error, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("opening the demo shop: %w", err)
	}
	server := &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(ln) // returns after Close
	}()
	return ln.Addr().String(), func() error {
		err := server.Close()
		<-done
		return err
	}, nil
}
