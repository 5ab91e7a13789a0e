package diskspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/shared/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeDisk is a disk whose free space a test sets.
type fakeDisk struct {
	*Watcher
	heard chan event.Disk

	mu    sync.Mutex
	left  int64
	fails error
	tries int
}

func (d *fakeDisk) set(left int64, fails error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.fails = left, fails
}

func watchFakeDisk(t *testing.T, left int64) *fakeDisk {
	t.Helper()
	d := &fakeDisk{heard: make(chan event.Disk, 1000), left: left}
	d.Watcher = New(Config{
		Folder: t.TempDir(), FullInterval: time.Millisecond, Interval: time.Millisecond,
		OnChange: func(s event.Disk) { d.heard <- s },
		FreeBytes: func(string) (int64, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.left, nil
		},
		TryWrite: func(context.Context) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.tries++
			return d.fails
		},
	})
	t.Cleanup(d.Close)
	return d
}

// until waits for a level.
func (d *fakeDisk) until(t *testing.T, level event.DiskLevel) event.Disk {
	t.Helper()
	for {
		select {
		case s := <-d.heard:
			if s.Level == level {
				return s
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("never %s; it is %+v", level, d.State())
		}
	}
}

func TestDiskIsFullUntilWriteSucceeds(t *testing.T) {
	d := watchFakeDisk(t, 1<<30)
	d.set(1<<30, syscall.EDQUOT) // a quota, of which the free bytes know nothing
	d.ReportFailure(fmt.Errorf("storing: %w", ErrFull))
	if d.State().Level != event.DiskFull {
		t.Fatalf("a write failed, and it is %+v", d.State())
	}
	d.until(t, event.DiskFull)
	for { // it tries and stays full
		d.mu.Lock()
		tries := d.tries
		d.mu.Unlock()
		if tries > 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if d.State().Level != event.DiskFull {
		t.Fatalf("no write succeeded, and it is %+v", d.State())
	}
	d.set(1<<30, nil)
	if s := d.until(t, event.DiskEnough); s.Free != 1<<30 {
		t.Fatalf("%+v", s)
	}
	left, err := os.ReadDir(d.cfg.Folder)
	if err != nil || len(left) > 0 {
		t.Fatalf("a trial left %v, %v", left, err)
	}
}

func TestLowSpaceIsReportedBeforeWritesFail(t *testing.T) {
	d := watchFakeDisk(t, 1<<30)
	d.set(LowBytes-1, nil)
	d.until(t, event.DiskLow)
	d.set(enough-1, nil) // it does not come and go with every file
	d.ReportFailure(errors.New("another reason"))
	d.set(10, nil)
	d.until(t, event.DiskFull)
	d.set(enough, nil)
	d.until(t, event.DiskEnough)
}

func TestMissingFolderIsReportedUntilItIsBack(t *testing.T) {
	var gone atomic.Bool
	heard := make(chan event.Disk, 10)
	w := New(Config{
		Folder: t.TempDir(), Interval: time.Millisecond, Gone: gone.Load,
		OnChange: func(s event.Disk) { heard <- s },
	})
	defer w.Close()
	if s := <-heard; s.Level != event.DiskEnough && s.Level != event.DiskLow {
		t.Fatalf("%+v", s)
	}
	gone.Store(true)
	if s := <-heard; s.Level != event.DiskGone {
		t.Fatalf("%+v", s)
	}
	w.ReportFailure(fmt.Errorf("storing: %w", ErrGone))
	gone.Store(false)
	if s := <-heard; s.Level == event.DiskGone || s.Level == event.DiskFull {
		t.Fatalf("%+v", s)
	}
}
