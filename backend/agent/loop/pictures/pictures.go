// Package pictures moves pictures between results, their store and the requests to a model.
package pictures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"sextant/backend/store/blobs"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Store stores pictures; *blobs.Store implements it.
type Store interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

var _ Store = (*blobs.Store)(nil)

const (
	// maxPictures is how many pictures a request may contain. Beyond it the oldest are left out in groups of
	// groupSize, so that most requests repeat the beginning of the one before.
	maxPictures = 12
	groupSize   = 6
	// maxBytes limits one picture in a request. Services refuse larger ones.
	maxBytes = 5 << 20
)

// Cache holds the pictures of a turn's requests by their id. The zero value is ready, and it is safe for concurrent
// use.
type Cache struct{ data sync.Map }

// Add stores a picture of a result and adds it to m, so that later turns have it too. With a nil store, or after an
// error, only m contains it.
func (c *Cache) Add(store Store, m *chat.Message, img toolspec.Image) error {
	if store != nil {
		id, err := store.Put(bytes.NewReader(img.Data))
		if err != nil {
			m.Images = append(m.Images, chat.Image{MIME: img.MIME, Data: img.Data})
			return fmt.Errorf("a picture is not stored, so that later turns do not have it: %w", err)
		}
		m.Files = append(m.Files, chat.File{
			Blob: id, Name: "picture", Kind: chat.FilePicture, MIME: img.MIME, Size: int64(len(img.Data)), Picture: id,
		})
		c.data.Store(id, img.Data)
		return nil
	}
	m.Images = append(m.Images, chat.Image{MIME: img.MIME, Data: img.Data})
	return nil
}

// Load sets the images of a prompt from its files. A line replaces the oldest if there are too many, and those that
// cannot be read; the error then says why.
func (c *Cache) Load(store Store, messages []chat.Message) error {
	n := 0
	for _, m := range messages {
		for _, f := range m.Files {
			if f.Picture != "" {
				n++
			}
		}
	}
	var errs []error
	omitted := max(0, (n-maxPictures+groupSize-1)/groupSize*groupSize)
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
			data, err := c.read(store, f.Picture)
			if err != nil {
				errs = append(errs, fmt.Errorf("a picture is not sent: %w", err))
				m.Text += "\n(The picture can no longer be read.)"
				continue
			}
			m.Images = append(m.Images, chat.Image{MIME: http.DetectContentType(data), Data: data})
		}
	}
	return errors.Join(errs...)
}

func (c *Cache) read(store Store, id string) ([]byte, error) {
	if data, ok := c.data.Load(id); ok {
		return data.([]byte), nil
	}
	f, info, err := store.Open(id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size > maxBytes {
		return nil, fmt.Errorf("picture of %d bytes is too large", info.Size)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err == nil {
		c.data.Store(id, data)
	}
	return data, err
}
