package loop_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/store/blobs"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

func pictureOf(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withPictures gives h a store of pictures, and returns it and a function that starts the loop again.
func withPictures(t *testing.T, h *harness) (*blobs.Store, func()) {
	t.Helper()
	store, err := blobs.New(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	restart := func() {
		h.Close()
		config := h.config()
		config.Pictures = store
		h.Loop = loop.New(config)
	}
	restart()
	return store, restart
}

func attachedPicture(t *testing.T, store *blobs.Store, width int) chat.Attachment {
	t.Helper()
	id, err := store.Put(bytes.NewReader(pictureOf(t, width)))
	if err != nil {
		t.Fatal(err)
	}
	return chat.Attachment{
		Source: "attachment:a.png", Title: "a.png", Text: "(attached picture)",
		File: &chat.File{Blob: id, Picture: id, Name: "a.png", Kind: chat.FilePicture, MIME: "image/png"},
	}
}

// imagesIn returns the images of a request in order.
func imagesIn(r openaitest.Request) (all []string) {
	for _, m := range r.Messages {
		all = append(all, m.Images...)
	}
	return all
}

func TestPicturesAreSentInLaterTurnsAndAfterARestart(t *testing.T) {
	t.Parallel()
	h := newHarness(t, calls(call("look", "{}")), openaitest.Answer{Text: "A."}, openaitest.Answer{Text: "B."},
		openaitest.Answer{Text: "C."}, openaitest.Answer{Text: "D."})
	taken := pictureOf(t, 7)
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		r := toolspec.OK("a picture")
		r.Images = []toolspec.Image{{MIME: "image/png", Data: taken}}
		return r
	}
	store, restart := withPictures(t, h)
	h.run(t, loop.TurnRequest{
		Conversation: "c1", Text: "look", Model: "openai/m", Attachments: []chat.Attachment{attachedPicture(t, store,
			3)},
	})
	h.ask(t, "and now?")
	h.ask(t, "again?")
	restart()
	h.ask(t, "after the restart?")
	requests := h.service.Requests()
	if n := len(imagesIn(requests[0])); n != 1 {
		t.Errorf("the first request has %d images", n)
	}
	first := imagesIn(requests[1])
	for i, r := range requests[1:] {
		got := imagesIn(r)
		if len(got) != 2 || got[0] != first[0] || got[1] != first[1] || got[0] == got[1] {
			t.Errorf("request %d has %d images", i+1, len(got))
		}
	}
	_, messages, _ := h.recorded()
	if m := messages[0]; m.Role != chat.RoleNote || len(m.Files) != 1 || len(m.Outside) != 1 {
		t.Errorf("recorded %+v", m)
	}
	for _, r := range requests {
		for _, m := range r.Messages {
			if strings.Contains(m.Content, "attached picture") && !strings.Contains(m.Content, "<<outside") {
				t.Errorf("the attachment is not marked: %q", m.Content)
			}
		}
	}
}

func TestOldPicturesAreReplacedByALine(t *testing.T) {
	t.Parallel()
	const turns = 20
	var script []openaitest.Answer
	for range turns {
		script = append(script, openaitest.Answer{Text: "Seen."})
	}
	h := newHarness(t, script...)
	store, _ := withPictures(t, h)
	for i := range turns {
		h.run(t, loop.TurnRequest{
			Conversation: "c1", Text: fmt.Sprint("picture ", i), Model: "openai/m",
			Attachments: []chat.Attachment{attachedPicture(t, store, i+1)},
		})
	}
	changes := 0
	for i, r := range h.service.Requests() {
		lines := 0
		for _, m := range r.Messages {
			lines += strings.Count(m.Content, "older picture is no longer sent")
		}
		if n := len(imagesIn(r)); n+lines != i+1 || n > 12 || i >= 12 && n < 7 {
			t.Errorf("request %d has %d images and %d lines", i, n, lines)
		}
		if lines > 0 && len(imagesIn(r)) == 7 {
			changes++
		}
	}
	if changes != 2 {
		t.Errorf("pictures were left out %d times", changes)
	}
}

func TestAPictureThatIsGoneIsSaid(t *testing.T) {
	t.Parallel()
	h := newHarness(t, openaitest.Answer{Text: "A."})
	store, _ := withPictures(t, h)
	a := attachedPicture(t, store, 3)
	a.File.Picture = strings.Repeat("0", 64)
	h.run(t, loop.TurnRequest{Conversation: "c1", Text: "look", Model: "openai/m", Attachments: []chat.Attachment{a}})
	r := h.service.Requests()[0]
	if len(imagesIn(r)) != 0 || !strings.Contains(r.Messages[1].Content, "can no longer be read") {
		t.Errorf("sent %+v", r.Messages)
	}
}
