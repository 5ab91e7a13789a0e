// Package icons embeds the program's icon for the window and the package. sextant.svg is the drawing;
// build/icons/render.sh makes sextant.png from it.
package icons

import _ "embed"

// PNG is the icon, 256 × 256 pixels. Callers must not modify it.
//
//go:embed sextant.png
var PNG []byte
