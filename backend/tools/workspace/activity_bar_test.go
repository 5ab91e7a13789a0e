package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"sextant/backend/tools/workspace"
	"sextant/shared/toolspec"
)

func TestExpandActivityBar(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("expand_activity_bar", `{}`)
	if !b.ActivityBar().Expanded || !strings.HasPrefix(b.takeEvents(), `activitybar.changed{"expanded":true`) {
		t.Errorf("%+v", b.ActivityBar())
	}
}

func TestCollapseActivityBar(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("expand_activity_bar", `{}`)
	b.takeEvents()
	b.ok("collapse_activity_bar", `{}`)
	if b.ActivityBar().Expanded || !strings.HasPrefix(b.takeEvents(), `activitybar.changed{"expanded":false`) {
		t.Errorf("%+v", b.ActivityBar())
	}
}

func TestSetActivityBarDevices(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if bar := b.ActivityBar(); len(bar.Devices) != len(workspace.Devices()) || bar.Device != bar.Devices[0] {
		t.Fatalf("at first: %+v", bar)
	}
	b.ok("set_activity_bar_devices", `{"device":"tablet"}`)
	b.published(`activitybar.changed{"expanded":false,"devices":["desktop","laptop","tablet","phone"],"device":"tablet"}`)
	b.ok("set_activity_bar_devices", `{"devices":["phone","desktop"]}`)
	if bar := b.ActivityBar(); !slices.Equal(bar.Devices, []string{"phone", "desktop"}) || bar.Device != "phone" {
		t.Errorf("a device that is no longer offered stays: %+v", bar)
	}
	b.takeEvents()
	b.fails("set_activity_bar_devices", `{"device":"tablet"}`, toolspec.UserError, "does not offer")
	b.fails("set_activity_bar_devices", `{"device":"toaster"}`, toolspec.ValidationError, "no device")
	b.fails("set_activity_bar_devices", `{"devices":["fridge"]}`, toolspec.ValidationError, "no device")
	b.fails("set_activity_bar_devices", `{}`, toolspec.ValidationError, "required")
}
