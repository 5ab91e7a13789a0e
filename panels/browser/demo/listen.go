package demo

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Host is the shop's host in addresses. It resolves nowhere; the caller maps it to the address of Listen.
const Host = "demo.sextant.test"

// Alias returns the shop's address for the word "demo", which a person may type instead of an address.
func Alias(word string) (address string, ok bool) {
	if strings.EqualFold(strings.TrimSpace(word), "demo") {
		return "http://" + Host + "/", true
	}
	return "", false
}

// Listen serves the shop on a free loopback port until stop is called.
func Listen() (addr string, stop func() error, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("opening the demo shop: %w", err)
	}
	server := &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(ln) // ends with Close
	}()
	return ln.Addr().String(), func() error {
		err := server.Close()
		<-done
		return err
	}, nil
}
