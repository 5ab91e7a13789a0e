package loop

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"sextant/backend/store/blobs"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Pictures stores pictures; *blobs.Store implements it.
type Pictures interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

var _ Pictures = (*blobs.Store)(nil)

const (
	// maxPictures is how many pictures a request may contain. Beyond it the oldest are left out in groups of
	// pictureGroup, so that most requests repeat the beginning of the one before.
	maxPictures  = 12
	pictureGroup = 6
	// maxPictureBytes limits one picture in a request. Services refuse larger ones.
	maxPictureBytes = 5 << 20
)

// addPicture stores a picture of a result, so that later turns have it too.
func (t *turn) addPicture(m *chat.Message, img toolspec.Image) {
	if t.loop.cfg.Pictures != nil {
		id, err := t.loop.cfg.Pictures.Put(bytes.NewReader(img.Data))
		if err == nil {
			m.Files = append(m.Files, chat.File{
				Blob: id, Name: "picture", Kind: chat.FilePicture, MIME: img.MIME, Size: int64(len(img.Data)),
				Picture: id,
			})
			t.pictures.Store(id, img.Data)
			return
		}
		t.loop.cfg.Log.Warn("a picture is not stored, so that later turns do not have it", "turn", t.id, "err", err)
	}
	m.Images = append(m.Images, chat.Image{MIME: img.MIME, Data: img.Data})
}

// loadPictures sets the images of a prompt from its files. It replaces the oldest by a line if there are too many.
func (t *turn) loadPictures(messages []chat.Message) {
	if t.isPilot || t.loop.cfg.Pictures == nil {
		return
	}
	n := 0
	for _, m := range messages {
		for _, f := range m.Files {
			if f.Picture != "" {
				n++
			}
		}
	}
	omitted := max(0, (n-maxPictures+pictureGroup-1)/pictureGroup*pictureGroup)
	for i := range messages {
		m := &messages[i]
		for _, f := range m.Files {
			switch {
			case f.Picture == "":
				continue
			case omitted > 0:
				omitted--
				m.Text += "\n(This older picture is no longer sent.)"
				continue
			}
			data, err := t.picture(f.Picture)
			if err != nil {
				t.loop.cfg.Log.Warn("a picture is not sent", "turn", t.id, "err", err)
				m.Text += "\n(The picture can no longer be read.)"
				continue
			}
			m.Images = append(m.Images, chat.Image{MIME: http.DetectContentType(data), Data: data})
		}
	}
}

func (t *turn) picture(id string) ([]byte, error) {
	if data, ok := t.pictures.Load(id); ok {
		return data.([]byte), nil
	}
	f, info, err := t.loop.cfg.Pictures.Open(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size > maxPictureBytes {
		return nil, fmt.Errorf("picture of %d bytes is too large", info.Size)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPictureBytes))
	if err == nil {
		t.pictures.Store(id, data)
	}
	return data, err
}
