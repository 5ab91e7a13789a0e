package live_test

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"sextant/backend/browser/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func take(t *testing.T, f *live.Feed) (live.Frame, bool) {
	t.Helper()
	synctest.Wait()
	select {
	case frame := <-f.Frames():
		return frame, true
	default:
		return live.Frame{}, false
	}
}

func offer(f *live.Feed, pictures ...string) {
	for _, p := range pictures {
		f.Offer(live.Frame{JPEG: []byte(p)})
	}
}

func TestSlowReaderGetsNewestFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := live.NewFeed()
		defer f.Close()
		offer(f, "a")
		if got, ok := take(t, f); !ok || string(got.JPEG) != "a" {
			t.Fatalf("first picture: %q, %v", got.JPEG, ok)
		}
		offer(f, "b", "c", "d")
		got, ok := take(t, f)
		if !ok || string(got.JPEG) != "d" {
			t.Fatalf("second picture is %q, want the newest, d", got.JPEG)
		}
		offer(f, "e", "f")
		if got, ok := take(t, f); ok {
			t.Fatalf("a third picture (%q) came although none was acknowledged", got.JPEG)
		}
		f.Ack(1)
		last, ok := take(t, f)
		if !ok || string(last.JPEG) != "f" {
			t.Fatalf("after an acknowledgement came %q, %v, want f", last.JPEG, ok)
		}
		offer(f, "g")
		f.Ack(last.Header.Frame)
		if got, ok := take(t, f); !ok || string(got.JPEG) != "g" {
			t.Fatalf("after acknowledging all came %q, %v", got.JPEG, ok)
		}
	})
}

func TestUnknownAcknowledgementIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := live.NewFeed()
		defer f.Close()
		f.Ack(1000)
		for range 2 {
			offer(f, "x")
			if _, ok := take(t, f); !ok {
				t.Fatal("no picture")
			}
		}
		offer(f, "y")
		if _, ok := take(t, f); ok {
			t.Error("a third picture came although none was acknowledged")
		}
	})
}
