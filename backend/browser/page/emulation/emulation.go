// Package emulation describes the device, place and network that a tab emulates, and builds the protocol requests for
// it.
package emulation

import (
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// Emulation is the device, place and network that a tab emulates. The zero value emulates nothing.
type Emulation struct {
	Device string
	// Width and Height are the viewport in CSS pixels, 0 for the tab's own. Scale is the number of device pixels per
	// CSS pixel; 0 is 1, or the tab's own if Width is 0.
	Width, Height int
	Scale         float64
	// Mobile respects the page's viewport tag and, unless UserAgent is set, sends the user agent of a phone or
	// tablet. Touch enables touch input.
	Mobile, Touch bool
	UserAgent     string
	// ColorScheme is light or dark. Locale is a tag such as "de-DE", Timezone a name such as "Europe/Berlin".
	ColorScheme, Locale, Timezone string
	// Geolocation is the position that pages of the tab's own origin get without a question.
	Geolocation *Geolocation
	// Network is offline, slow-3g, fast-3g or slow-4g; "" is the real network.
	Network string
	// CPUSlowdown is the factor by which scripts run slower, 0 for none.
	CPUSlowdown float64
}

// Geolocation is a position on the earth. Latitude and Longitude are in degrees, Accuracy is in meters.
type Geolocation struct{ Latitude, Longitude, Accuracy float64 }

// Networks returns the values of Emulation.Network.
func Networks() []string { return []string{"offline", "slow-3g", "fast-3g", "slow-4g"} }

// tabletWidth is the width in CSS pixels from which a mobile device gets the user agent of a tablet, as does one
// without a width.
const tabletWidth = 600

// Name returns a text for people: the device, else the size, else "nothing" or "what was asked".
func (e Emulation) Name() string {
	switch {
	case e.Device != "":
		return e.Device
	case e.Width > 0:
		return fmt.Sprintf("%d × %d", e.Width, e.Height)
	case e == (Emulation{}):
		return "nothing"
	}
	return "what was asked"
}

// Metrics returns the request that sets a tab's viewport. width, height and scale are those without emulation.
func (e Emulation) Metrics(width, height int, scale float64) proto.EmulationSetDeviceMetricsOverride {
	m := proto.EmulationSetDeviceMetricsOverride{
		Width: width, Height: height, DeviceScaleFactor: scale,
		Mobile: e.Mobile,
	}
	if e.Width > 0 {
		m.Width, m.Height, m.DeviceScaleFactor = e.Width, e.Height, 1
	}
	if e.Scale > 0 {
		m.DeviceScaleFactor = e.Scale
	}
	return m
}

// Requests returns the requests that emulate e, except for the viewport. userAgent is the browser's own.
func (e Emulation) Requests(userAgent string) []proto.Request {
	points := 5
	touch := proto.EmulationSetTouchEmulationEnabled{Enabled: e.Touch}
	if e.Touch {
		touch.MaxTouchPoints = &points
	}
	media := proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{}}
	if e.ColorScheme != "" {
		media.Features = append(media.Features,
			&proto.EmulationMediaFeature{Name: "prefers-color-scheme", Value: e.ColorScheme})
	}
	list := []proto.Request{
		touch, media, e.userAgentOverride(userAgent),
		proto.EmulationSetLocaleOverride{Locale: e.Locale},
		proto.EmulationSetTimezoneOverride{TimezoneID: e.Timezone},
		e.network(),
		proto.EmulationSetCPUThrottlingRate{Rate: max(e.CPUSlowdown, 1)},
	}
	if p := e.Geolocation; p != nil {
		return append(list, proto.EmulationSetGeolocationOverride{
			Latitude: &p.Latitude, Longitude: &p.Longitude,
			Accuracy: &p.Accuracy,
		})
	}
	return append(list, proto.EmulationClearGeolocationOverride{})
}

func (e Emulation) userAgentOverride(own string) proto.EmulationSetUserAgentOverride {
	req := proto.EmulationSetUserAgentOverride{UserAgent: e.UserAgent, AcceptLanguage: e.Locale}
	if e.UserAgent == "" && e.Mobile {
		_, version, _ := strings.Cut(own, "Chrome/")
		version, _, _ = strings.Cut(version, ".")
		phone := e.Width > 0 && e.Width < tabletWidth
		kind := ""
		if phone {
			kind = "Mobile "
		}
		req.UserAgent = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" + version +
			".0.0.0 " + kind + "Safari/537.36"
		req.Platform = "Linux armv81"
		req.UserAgentMetadata = &proto.EmulationUserAgentMetadata{
			Platform: "Android", PlatformVersion: "10",
			Mobile: phone,
		}
	}
	if req.UserAgent == "" && e.Locale != "" {
		req.UserAgent = own
	}
	return req
}

func (e Emulation) network() proto.NetworkEmulateNetworkConditions {
	const kbit = 1000.0 / 8
	n := proto.NetworkEmulateNetworkConditions{DownloadThroughput: -1, UploadThroughput: -1}
	switch e.Network {
	case "offline":
		n.Offline = true
	case "slow-3g":
		n.Latency, n.DownloadThroughput, n.UploadThroughput = 2000, 400*kbit, 400*kbit
	case "fast-3g":
		n.Latency, n.DownloadThroughput, n.UploadThroughput = 560, 1440*kbit, 675*kbit
	case "slow-4g":
		n.Latency, n.DownloadThroughput, n.UploadThroughput = 165, 8100*kbit, 1350*kbit
	}
	return n
}
