package httpapi

import (
	"encoding/json"
	"net/url"
	"strings"
)

// typedHosts returns the host in a call's url argument, which the person typed in the address bar or the tab bar.
func typedHosts(args json.RawMessage) []string {
	var a struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(args, &a) != nil || a.URL == "" {
		return nil
	}
	address := a.URL
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	return []string{strings.ToLower(u.Host)}
}
