package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/toolkit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed set_activity_bar_devices.md
var setActivityBarDevicesDoc string

type setActivityBarDevicesParams struct {
	Devices []string `json:"devices"`
	Device  string   `json:"device"`
}

func setActivityBarDevices() tool {
	const name = "set_activity_bar_devices"
	enum := `"` + strings.Join(deviceNames(), `","`) + `"`
	schema := fmt.Sprintf(`{"type":"object","properties":{`+
		`"devices":{"type":"array","items":{"type":"string","enum":[%[1]s]},"minItems":1,"description":"Presets to offer, in this order; default: unchanged."},`+
		`"device":{"type":"string","enum":[%[1]s],"description":"Preset the browser panel emulates; default: unchanged."}},`+
		`"minProperties":1,"additionalProperties":false}`, enum)
	return tool{
		def: define(name, "activity_bar", setActivityBarDevicesDoc, schema, toolspec.Hints{Idempotent: true},
			`{"device":"phone"}`, `{"devices":["desktop","phone"],"device":"desktop"}`,
			`{"devices":["desktop","laptop","tablet","phone"]}`),
		run: func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error) {
			var p setActivityBarDevicesParams
			if bad := toolkit.Decode(args, &p); bad != nil {
				return *bad, nil
			}
			return t.setDevices(ctx, p)
		},
		describe: func(args json.RawMessage) toolspec.Description {
			var p setActivityBarDevicesParams
			if json.Unmarshal(args, &p) == nil && p.Device != "" {
				return toolspec.Description{Sentence: "Emulating a " + p.Device, Target: p.Device}
			}
			return toolspec.Description{Sentence: "Setting the devices of the activity bar"}
		},
	}
}

func (t *Tools) setDevices(ctx context.Context, p setActivityBarDevicesParams) (toolspec.Result, error) {
	const tool = "set_activity_bar_devices"
	if len(p.Devices) == 0 && p.Device == "" {
		return toolspec.Fail(toolspec.ValidationError, tool+": devices or device is required",
			`For example {"device":"phone"}.`), nil
	}
	offered := p.Devices
	if len(offered) == 0 {
		offered = t.ActivityBar().Devices
	}
	for _, name := range append(slices.Clone(offered), p.Device) {
		if _, known := DeviceNamed(name); !known && name != "" {
			return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("%s: there is no device %q", tool, name),
				"Devices: "+strings.Join(deviceNames(), ", ")+"."), nil
		}
	}
	if p.Device != "" && !slices.Contains(offered, p.Device) {
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s: the bar does not offer %q", tool, p.Device),
			"Name it in devices as well."), nil
	}
	sentence := "Set the devices of the activity bar"
	if p.Device != "" {
		sentence = "Chose the device " + p.Device
	}
	return t.setBar(ctx, sentence, func(bar *event.ActivityBar) {
		bar.Devices = slices.Compact(slices.Clone(offered))
		if p.Device != "" {
			bar.Device = p.Device
		}
		if !slices.Contains(bar.Devices, bar.Device) {
			bar.Device = bar.Devices[0]
		}
	})
}
