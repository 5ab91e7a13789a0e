package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/cdp"
)

// AttachedBrowser is a connection to a Chromium that we did not start.
type AttachedBrowser struct {
	WS *cdp.WebSocket
}

// Attach connects to a running Chromium by its debugging address, such as http://127.0.0.1:9222, or a WebSocket
// address.
func Attach(ctx context.Context, address string) (*AttachedBrowser, error) {
	ws := address
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		var err error
		if ws, err = debugger(ctx, address); err != nil {
			return nil, err
		}
	}
	conn := &cdp.WebSocket{}
	if err := conn.Connect(ctx, ws, nil); err != nil {
		return nil, fmt.Errorf("connecting to the browser at %s: %w", address, err)
	}
	return &AttachedBrowser{WS: conn}, nil
}

// IsLocal reports whether the browser at a debugging address is on this computer, so that it can use our proxy and our
// files.
func IsLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func debugger(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+"/json/version", nil)
	if err != nil {
		return "", fmt.Errorf("reading the browser's address: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("asking the browser at %s: %w", address, err)
	}
	defer func() { _ = res.Body.Close() }()
	var v struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&v); err != nil || v.URL == "" {
		return "", fmt.Errorf("the program at %s is not a browser with debugging enabled", address)
	}
	return v.URL, nil
}

// Close ends the connection; the browser keeps running.
func (a *AttachedBrowser) Close(time.Duration) error {
	if err := a.WS.Close(); err != nil {
		return fmt.Errorf("disconnecting from the browser: %w", err)
	}
	return nil
}

// Kill ends the connection; the browser keeps running.
func (a *AttachedBrowser) Kill() { _ = a.WS.Close() }

// Stderr returns "", because the output of the browser is not ours.
func (a *AttachedBrowser) Stderr() string { return "" }
