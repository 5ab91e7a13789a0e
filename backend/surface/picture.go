package surface

// PixelsPerToken is about how many pixels of a picture cost a model one token.
const PixelsPerToken = 750

// Picture is an encoded picture.
type Picture struct {
	Data []byte
	// MIME is image/png, or image/jpeg for a large picture whose JPEG is much smaller.
	MIME          string
	Width, Height int
	// Scale is the number of picture pixels per CSS pixel of the page.
	Scale float64
}

// Tokens estimates how many tokens the picture costs a model.
func (p Picture) Tokens() int {
	return (p.Width*p.Height + PixelsPerToken - 1) / PixelsPerToken
}
