package pngfit

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFitCropsLongAndScalesLargePictures(t *testing.T) {
	t.Parallel()
	small := encoded(t, image.NewRGBA(image.Rect(0, 0, 40, 30)))
	if data, size, note, err := Fit(small); err != nil || !bytes.Equal(data, small) || size != image.Pt(40, 30) ||
		note != "" {
		t.Errorf("a small picture: %v %q %v", size, note, err)
	}
	if _, size, note, err := Fit(encoded(t, image.NewRGBA(image.Rect(0, 0, 100, 9000)))); err != nil ||
		size != image.Pt(100, maxSide) || !strings.Contains(note, "9000") {
		t.Errorf("a long picture: %v %q %v", size, note, err)
	}
	noise := image.NewRGBA(image.Rect(0, 0, 1301, 1201))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32()) | 1
	}
	if data, size, note, err := Fit(encoded(t, noise)); err != nil || size != image.Pt(650, 600) ||
		len(data) > maxBytes || note == "" {
		t.Errorf("a heavy picture: %v, %d bytes, %q %v", size, len(data), note, err)
	}
	tall := image.NewRGBA(image.Rect(0, 0, 400, maxSide+1000))
	for i := range tall.Pix {
		tall.Pix[i] = byte(r.Uint32()) | 1
	}
	if _, _, note, err := Fit(encoded(t, tall)); err != nil || !strings.Contains(note, "Cut to the first 400 × 7800") ||
		!strings.Contains(note, "Scaled down to 200 × 3900 of 400 × 7800") {
		t.Errorf("a heavy and long picture: %q %v", note, err)
	}
	if _, _, _, err := Fit([]byte("no picture")); err == nil {
		t.Error("other than a picture is accepted")
	}
}
