package httpapi

import (
	"encoding/json"
	"net/url"
	"strings"
)

// typedHosts reads the hosts a person typed from a call's url argument (the address bar
// and the tab bar send what was typed there). Typing an address opens it.
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
