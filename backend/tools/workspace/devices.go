package workspace

// Device is an emulation preset. Width and Height are the viewport in CSS pixels, Scale is the device pixels per CSS
// pixel.
type Device struct {
	Name   string
	Width  int
	Height int
	Scale  float64
	Touch  bool
}

// Devices returns all presets. The first one follows the window and emulates nothing.
func Devices() []Device {
	return []Device{
		{Name: "desktop"},
		{Name: "laptop", Width: 1366, Height: 768, Scale: 1},
		{Name: "tablet", Width: 820, Height: 1180, Scale: 2, Touch: true},
		{Name: "phone", Width: 390, Height: 844, Scale: 3, Touch: true},
	}
}

// DeviceNamed returns the preset with that name, or false if there is none.
func DeviceNamed(name string) (Device, bool) {
	for _, d := range Devices() {
		if d.Name == name {
			return d, true
		}
	}
	return Device{}, false
}

func deviceNames() []string {
	var names []string
	for _, d := range Devices() {
		names = append(names, d.Name)
	}
	return names
}
