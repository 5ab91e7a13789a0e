package effects

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sextant/backend/surface"
)

// Navigation is one navigation of the tab's main frame.
type Navigation struct {
	Loader, URL string
	// Redirects are HTTP statuses. Status is that of the document, 0 when none has arrived.
	Redirects []int
	Status    int
	// NetworkError is an error such as net::ERR_TIMED_OUT, "" for none.
	NetworkError string
	Committed    bool
}

const maxRedirects = 6

// Effect implements Source.
func (n *Navigation) Effect() (kind, text string) {
	if n.NetworkError != "" {
		return KindNavigationFailed, fmt.Sprintf("navigation to %s failed: %s (%s)", surface.Truncate(n.URL, 220),
			NetworkErrorText(n.NetworkError), surface.Truncate(n.NetworkError, 60))
	}
	text = "navigated to " + surface.Truncate(n.URL, 230)
	var way []string
	hops := n.Redirects
	if len(hops) > maxRedirects {
		way, hops = append(way, fmt.Sprintf("%d redirects", len(hops))), nil
	}
	for _, s := range hops {
		way = append(way, fmt.Sprint(s))
	}
	if n.Status != 0 {
		way = append(way, StatusText(n.Status))
	}
	if len(way) > 0 {
		text += " (" + strings.Join(way, " → ") + ")"
	}
	return KindNavigated, text
}

// NetworkErrorText describes a network error such as net::ERR_TIMED_OUT, for use within a sentence.
func NetworkErrorText(problem string) string {
	switch strings.TrimPrefix(problem, "net::") {
	case "ERR_NAME_NOT_RESOLVED":
		return "there is no site of that name"
	case "ERR_CONNECTION_REFUSED":
		return "nothing answers at that address"
	case "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_CLOSED":
		return "the site broke the connection off"
	case "ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT":
		return "the site did not answer"
	case "ERR_INTERNET_DISCONNECTED", "ERR_ADDRESS_UNREACHABLE", "ERR_NETWORK_CHANGED":
		return "the network cannot be reached"
	case "ERR_TUNNEL_CONNECTION_FAILED", "ERR_PROXY_CONNECTION_FAILED", "ERR_BLOCKED_BY_CLIENT":
		return "the address is not allowed"
	case "ERR_TOO_MANY_REDIRECTS":
		return "the site sends in circles"
	}
	if strings.Contains(problem, "CERT") || strings.Contains(problem, "SSL") {
		return "the site's certificate cannot be trusted"
	}
	return "the browser refused it"
}

// StatusText formats an HTTP status for people: 200, "404 Not Found".
func StatusText(code int) string {
	if text := http.StatusText(code); text != "" && code >= 400 {
		return strconv.Itoa(code) + " " + text
	}
	return strconv.Itoa(code)
}
