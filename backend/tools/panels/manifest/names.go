package manifest

import (
	"fmt"
	"net"
	"slices"

	"sextant/backend/tools/panels/manifest/mend"
	"sextant/backend/tools/panels/manifest/shape"
	"sextant/shared/clip"
)

// reservedID reports whether id is one of the host's own routes under /api/.
func reservedID(id string) bool {
	return slices.Contains([]string{"ai", "panels", "automations", "mcp", "openapi"}, id)
}

// CheckID says why id cannot be a panel's id, nil when it can.
func CheckID(id string) error {
	if !shape.IsID(id) {
		return fmt.Errorf("%q cannot be a panel's id: a small letter, then up to 48 small letters, digits and hyphens", clip.Runes(id, 60))
	}
	if reservedID(id) {
		return fmt.Errorf("%q is reserved for routes of Sextant", id)
	}
	return nil
}

// Loopback reports whether host, a name or an address, is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// id is the id the panel has, or would have once it is right: the folder's name if that can
// be one.
func (j *judge) id() string {
	if id := j.manifest.PanelID; CheckID(id) == nil {
		return id
	}
	if CheckID(j.folder) == nil {
		return j.folder
	}
	for _, from := range []string{j.folder, j.manifest.PanelID, "my-panel"} {
		if id := mend.Name(from, '-', 49); CheckID(id) == nil {
			return id
		}
	}
	return "my-panel"
}
