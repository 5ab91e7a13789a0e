// Package icons embeds the program's icon for the window and the package: a sextant drawn
// by hand in sextant.svg, and sextant.png made from it by build/icons/render.sh.
package icons

import _ "embed"

// PNG is the icon, 256 × 256 pixels. It is not to be changed.
//
//go:embed sextant.png
var PNG []byte
