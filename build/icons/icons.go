// Package icons embeds the program's icon for the window and the package. sextant.svg is the drawing; sextant.png is made
// from it by build/icons/render.sh.
package icons

import _ "embed"

// PNG is the icon, 256 × 256 pixels. It is not to be changed.
//
//go:embed sextant.png
var PNG []byte
