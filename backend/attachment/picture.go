package attachment

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"

	_ "image/gif" // decodes the first frame

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes WebP

	"sextant/shared/chat"
)

const (
	// maxPixels limits the pixels of a picture that is decoded: 40 million need 160 MB.
	maxPixels = 40_000_000
	// maxSide is the longest side of a picture that is sent. Services scale larger ones down.
	maxSide = 1568
	// maxPNG is the largest PNG that is sent, in bytes; larger pictures are sent as JPEG.
	maxPNG      = 1 << 20
	jpegQuality = 85
)

// pictureType returns the type of a picture that can be decoded, "" for other data.
func pictureType(data []byte) string {
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}

// readPicture decodes a picture and reduces it. The reduced picture has no metadata, such as the place of a photo.
func readPicture(name string, data []byte) (content, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return content{}, refuse("%s is damaged: it begins like a picture but cannot be decoded.", name)
	}
	if size.Width > maxPixels/size.Height {
		return content{}, refuse("%s has %d × %d pixels, more than 40 million. Reduce it, then attach it again.", name,
			size.Width, size.Height)
	}
	picture, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return content{}, refuse("%s is damaged: it begins like a picture but cannot be decoded.", name)
	}
	c := content{kind: chat.FilePicture, mime: pictureType(data)}
	picture = reduce(picture)
	c.width, c.height = size.Width, size.Height
	if format == "jpeg" {
		turn := orientation(data)
		picture = oriented(picture, turn)
		if turn >= 5 {
			c.width, c.height = c.height, c.width
		}
	}
	c.picture, err = encodePicture(picture, format == "jpeg")
	return c, err
}

func encodePicture(picture image.Image, photo bool) ([]byte, error) {
	var out bytes.Buffer
	if !photo {
		if err := png.Encode(&out, picture); err != nil {
			return nil, err
		}
		if out.Len() <= maxPNG {
			return out.Bytes(), nil
		}
		out.Reset()
		flat := image.NewRGBA(picture.Bounds())
		draw.Draw(flat, flat.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
		draw.Draw(flat, flat.Bounds(), picture, picture.Bounds().Min, draw.Over)
		picture = flat
	}
	err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: jpegQuality})
	return out.Bytes(), err
}

func reducedSize(width, height int) (int, int) {
	longest := max(width, height)
	if longest <= maxSide {
		return width, height
	}
	return max(1, width*maxSide/longest), max(1, height*maxSide/longest)
}

func reduce(picture image.Image) image.Image {
	b := picture.Bounds()
	w, h := reducedSize(b.Dx(), b.Dy())
	if w == b.Dx() && h == b.Dy() {
		return picture
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, b, draw.Src, nil)
	return small
}

// orientation returns the Exif orientation of a JPEG, 1 to 8 (CIPA DC-008, 4.6.4 A), 1 if there is none.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xFF; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xDA || size < 2 || at+2+size > len(data) {
			break
		}
		if segment := data[at+4 : at+2+size]; marker == 0xE1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return tiffOrientation(segment[6:])
		}
		at += 2 + size
	}
	return 1
}

func tiffOrientation(tiff []byte) int {
	const tag, header, entry = 0x0112, 8, 12
	if len(tiff) < header {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	n := int64(order.Uint16(tiff[at:]))
	for i := range n {
		field := at + 2 + i*entry
		if field+entry > int64(len(tiff)) {
			break
		}
		if order.Uint16(tiff[field:]) == tag {
			if v := int(order.Uint16(tiff[field+8:])); v >= 1 && v <= 8 {
				return v
			}
		}
	}
	return 1
}

// oriented turns and mirrors a picture as its Exif orientation says.
func oriented(picture image.Image, orientation int) image.Image {
	if orientation == 1 {
		return picture
	}
	b := picture.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			fromX, fromY := x, y
			if orientation >= 5 {
				fromX, fromY = y, x
			}
			if orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8 {
				fromX = w - 1 - fromX
			}
			if orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7 {
				fromY = h - 1 - fromY
			}
			out.Set(x, y, picture.At(b.Min.X+fromX, b.Min.Y+fromY))
		}
	}
	return out
}
