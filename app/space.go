package app

import (
	"context"

	"sextant/backend/store/diskspace"
	"sextant/shared/event"
)

// openSpace watches the room on the disk of the data folder, and lets what a full disk left
// unrecorded be recorded once there is some.
func (s *System) openSpace(context.Context, Purpose) error {
	s.Space = diskspace.New(diskspace.Config{
		Folder: s.Config.DataDir, Try: s.Store.TryWrite,
		Changed: func(d event.Disk) {
			if d.Level != event.DiskFull {
				s.settle()
			}
			s.Events.Broadcast(event.New(event.DiskChanged, d))
			s.Log.Info("room on the disk", "level", d.Level, "free", d.Free, "folder", d.Folder)
		},
	})
	s.Store.OnFull(s.Space.ReportFailure)
	s.OnClose("space", func() error { s.Space.Close(); return nil })
	return nil
}

// settle records what a full disk did not take.
func (s *System) settle() {
	if err := s.Pending.FlushAll(context.Background()); err != nil {
		s.Log.Error("what happened while the disk was full is not recorded yet", "error", err)
	}
}
