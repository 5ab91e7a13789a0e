package environment

import (
	"context"
	_ "embed"

	"sextant/backend/browser"
	"sextant/backend/tools/baseline"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed emulate_device.md
var emulateAbout string

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
	CPU         float64 `json:"cpu" min:"1" max:"20" doc:"times slower"`
	Reset       bool    `json:"reset"`
}

// pretended is what a device of the window's activity bar is to the browser.
func pretended(name string) browser.Emulation {
	d, known := baseline.DeviceNamed(name)
	if !known || d.Width == 0 {
		return browser.Emulation{}
	}
	return browser.Emulation{Device: d.Name, Width: d.Width, Height: d.Height, Scale: d.Scale, Mobile: d.Touch, Touch: d.Touch}
}

// Device is the emulation that a preset of the activity bar stands for; the zero value for the
// desktop and for unknown names.
func Device(name string) browser.Emulation { return pretended(name) }

func (t *Tools) emulateDevice() tool {
	return build(tool{
		name: "emulate_device", about: about(emulateAbout), hints: toolspec.Hints{OpenWorld: true, Idempotent: true}, timeout: 60_000,
		examples: []string{`{"device":"phone"}`, `{"width":800,"height":600}`, `{"locale":"de-DE","timezone":"Europe/Berlin","color_scheme":"dark"}`, `{"reset":true}`},
	}, func(_ session, p emulateParams) toolspec.Description {
		if p.Device != "" {
			return toolspec.Description{Present: "Emulating a " + annotator.Clean(p.Device, 30)}
		}
		return toolspec.Description{Present: "Changing what the tab pretends to be"}
	}, func(ctx context.Context, s session, p emulateParams) (toolspec.Result, error) {
		if p == (emulateParams{}) {
			return toolspec.Result{}, &argumentError{"nothing is said", `send {"device":"phone"}, or {"reset":true}`}
		}
		if (p.Width == 0) != (p.Height == 0) {
			return toolspec.Result{}, &argumentError{"width and height stand together", `send {"width":800,"height":600}`}
		}
		e := browser.Emulation{}
		if !p.Reset {
			e = s.Emulation()
		}
		a, err := s.Emulate(ctx, p.over(e))
		if err != nil {
			return toolspec.Result{}, err
		}
		return t.answered(a, "", defaultTokens, "Changed what the tab pretends to be"), nil
	})
}

// over is e with what the call says.
func (p emulateParams) over(e browser.Emulation) browser.Emulation {
	if p.Device != "" {
		d := pretended(p.Device)
		e.Device, e.Width, e.Height, e.Scale, e.Mobile, e.Touch = d.Device, d.Width, d.Height, d.Scale, d.Mobile, d.Touch
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
	for to, said := range map[*string]string{&e.UserAgent: p.UserAgent, &e.ColorScheme: p.ColorScheme, &e.Locale: p.Locale, &e.Timezone: p.Timezone, &e.Network: p.Network} {
		if said != "" {
			*to = said
		}
	}
	if e.Network == "online" {
		e.Network = ""
	}
	if p.CPU > 0 {
		e.CPU = p.CPU
	}
	if p.Latitude != 0 || p.Longitude != 0 {
		e.Position = &browser.Position{Latitude: p.Latitude, Longitude: p.Longitude, Accuracy: 10}
	}
	return e
}
