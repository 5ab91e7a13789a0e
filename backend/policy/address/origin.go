package address

import "strings"

// Origin returns the scheme and the host with its port of a URL, in lower case. Each is "" if the URL does not have it.
// It reads only this part of the URL, because browsers accept URLs that net/url refuses, such as
// "https://a.example/#%".
func Origin(url string) (scheme, host string) {
	scheme, rest, found := strings.Cut(url, ":")
	if !found || strings.ContainsAny(scheme, `/\?#`) {
		return "", ""
	}
	scheme = strings.ToLower(scheme)
	rest, found = strings.CutPrefix(rest, "//")
	if !found {
		return scheme, ""
	}
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	return scheme, strings.ToLower(rest[strings.LastIndex(rest, "@")+1:])
}
