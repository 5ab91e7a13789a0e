package page

import (
	"cmp"
	"context"

	"sextant/backend/browser"
	"sextant/backend/tools/workspace"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type emulateParams struct {
	Device      string  `json:"device" enum:"desktop,laptop,tablet,phone"`
	Width       int     `json:"width" min:"200" max:"4096"`
	Height      int     `json:"height" min:"150" max:"4096"`
	Scale       float64 `json:"scale" min:"0.5" max:"4"`
	Mobile      *bool   `json:"mobile"`
	Touch       *bool   `json:"touch"`
	UserAgent   string  `json:"user_agent"`
	ColorScheme string  `json:"color_scheme" enum:"light,dark"`
	Locale      string  `json:"locale" doc:"e.g. de-DE"`
	Timezone    string  `json:"timezone" doc:"e.g. Europe/Berlin"`
	Latitude    float64 `json:"latitude" min:"-90" max:"90"`
	Longitude   float64 `json:"longitude" min:"-180" max:"180"`
	Network     string  `json:"network" enum:"online,offline,slow-3g,fast-3g,slow-4g"`
	CPU         float64 `json:"cpu" min:"1" max:"20" doc:"slowdown factor"`
	Reset       bool    `json:"reset"`
}

// EmulationFor returns the emulation of a device preset, or the zero value for the desktop and for an unknown name.
func EmulationFor(name string) browser.Emulation {
	d, known := workspace.DeviceNamed(name)
	if !known || d.Width == 0 {
		return browser.Emulation{}
	}
	return browser.Emulation{
		Device: d.Name, Width: d.Width, Height: d.Height, Scale: d.Scale, Mobile: d.Touch,
		Touch: d.Touch,
	}
}

func (t *Tools) emulateDevice() tool {
	return build(tool{
		name: "emulate_device", hints: toolspec.Hints{OpenWorld: true, Idempotent: true}, timeout: 60_000,
		examples: []string{
			`{"device":"phone"}`, `{"width":800,"height":600}`,
			`{"locale":"de-DE","timezone":"Europe/Berlin","color_scheme":"dark"}`, `{"reset":true}`,
		},
	}, func(_ session, p emulateParams) toolspec.Description {
		if p.Device != "" {
			return toolspec.Description{Sentence: "Emulating a " + annotation.Clean(p.Device, 30)}
		}
		return toolspec.Description{Sentence: "Changing the emulation of the tab"}
	}, func(ctx context.Context, s session, p emulateParams) (toolspec.Result, error) {
		if p == (emulateParams{}) {
			return toolspec.Result{}, &argumentError{
				"there are no arguments",
				`send {"device":"phone"}, or {"reset":true}`,
			}
		}
		if (p.Width == 0) != (p.Height == 0) {
			return toolspec.Result{}, &argumentError{"width and height go together", `send {"width":800,"height":600}`}
		}
		e := browser.Emulation{}
		if !p.Reset {
			e = s.Emulation()
		}
		return t.answer("Changed the emulation of the tab")(s.Emulate(ctx, p.apply(e)))
	})
}

func (p emulateParams) apply(e browser.Emulation) browser.Emulation {
	if p.Device != "" {
		d := EmulationFor(p.Device)
		e.Device, e.Width, e.Height = d.Device, d.Width, d.Height
		e.Scale, e.Mobile, e.Touch = d.Scale, d.Mobile, d.Touch
	}
	if p.Width > 0 {
		e.Width, e.Height, e.Device = p.Width, p.Height, ""
	}
	if p.Scale > 0 {
		e.Scale = p.Scale
	}
	if p.Mobile != nil {
		e.Mobile = *p.Mobile
	}
	if p.Touch != nil {
		e.Touch = *p.Touch
	}
	e.UserAgent = cmp.Or(p.UserAgent, e.UserAgent)
	e.ColorScheme = cmp.Or(p.ColorScheme, e.ColorScheme)
	e.Locale = cmp.Or(p.Locale, e.Locale)
	e.Timezone = cmp.Or(p.Timezone, e.Timezone)
	e.Network = cmp.Or(p.Network, e.Network)
	if e.Network == "online" {
		e.Network = ""
	}
	if p.CPU > 0 {
		e.CPUSlowdown = p.CPU
	}
	if p.Latitude != 0 || p.Longitude != 0 {
		e.Geolocation = &browser.Geolocation{Latitude: p.Latitude, Longitude: p.Longitude, Accuracy: 10}
	}
	return e
}
