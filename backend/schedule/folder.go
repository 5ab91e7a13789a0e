package schedule

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// lookFolders is the time between two looks at folders. A file is new once two looks found it the same, so that it is
// complete.
const lookFolders = 5 * time.Second

// partial are endings of files that a program is still writing.
var partial = []string{".crdownload", ".part", ".partial", ".tmp"}

// foundFile is a file that a look at a folder found.
type foundFile struct {
	name string
	// stamp changes with the file.
	stamp   string
	changed time.Time
}

// checkFolder returns an error that a person can read if no file of the folder could be found.
func checkFolder(when schedule.When) error {
	_, err := filepath.Match(when.Pattern, "")
	switch {
	case when.Folder == "" && when.Pattern != "":
		return errors.New("say in which folder files appear")
	case when.Folder == "":
		return nil
	case !filepath.IsAbs(when.Folder):
		return fmt.Errorf("write the whole path of the folder, from /, instead of %s", when.Folder)
	case err != nil || strings.ContainsRune(when.Pattern, filepath.Separator):
		return fmt.Errorf("%q is not a pattern of names; one looks like *.pdf", when.Pattern)
	}
	return nil
}

// readableFolder returns an error that a person can read if the folder cannot be read.
func readableFolder(when schedule.When) error {
	if when.Folder == "" || checkFolder(when) != nil {
		return nil // newTimes says so
	}
	folder, err := os.Open(when.Folder)
	if err == nil {
		defer folder.Close()
		_, err = folder.Readdirnames(1)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return unreadable(when, err)
}

func unreadable(when schedule.When, err error) error {
	return fmt.Errorf("the folder %s cannot be read: %w", when.Folder, errors.Unwrap(err))
}

// filesOf returns the complete files of a folder whose names match, those that changed first come first.
func filesOf(when schedule.When) ([]foundFile, error) {
	entries, err := os.ReadDir(when.Folder)
	if err != nil {
		return nil, unreadable(when, err)
	}
	var files []foundFile
	for _, e := range entries {
		name := e.Name()
		matches, _ := filepath.Match(cmp.Or(when.Pattern, "*"), name) // checkFolder has checked the pattern
		if !matches || !e.Type().IsRegular() || name[0] == '.' || slices.Contains(partial, filepath.Ext(name)) ||
			!isPlain(name) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
		} else if err != nil {
			return nil, err
		}
		files = append(files, foundFile{name, stampOf(info), info.ModTime()})
	}
	slices.SortFunc(files, func(a, b foundFile) int {
		return cmp.Or(a.changed.Compare(b.changed), cmp.Compare(a.name, b.name))
	})
	return files, nil
}

// isPlain reports whether a name can be a value: it is text in one line, and names no secret.
func isPlain(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl) && !strings.Contains(name, "{{")
}

func stampOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// withFile returns a task with the path of a file in its values.
func withFile(task schedule.Task, path string) schedule.Task {
	if path == "" {
		return task
	}
	task.Values = maps.Clone(task.Values)
	for name, value := range task.Values {
		task.Values[name] = strings.ReplaceAll(value, schedule.FileMark, path)
	}
	if quoted, err := json.Marshal(path); err == nil { // a text always is JSON
		task.Args = bytes.ReplaceAll(task.Args, []byte(schedule.FileMark), quoted[1:len(quoted)-1])
	}
	return task
}

// withFolder returns what a run used, with the folder of its file instead of the file: that of the next run is another.
func withFolder(used toolspec.Card, file string) toolspec.Card {
	if file != "" && slices.Contains(used.Files, file) {
		used.Files = toolspec.SortedUnion(
			slices.DeleteFunc(slices.Clone(used.Files), func(path string) bool { return path == file }),
			[]string{filepath.Dir(file)})
	}
	return used
}

// watchFolders adds runs for new files until ctx ends.
func (s *Schedules) watchFolders(ctx context.Context) {
	last := map[string][]foundFile{} // what the last look found, by schedule
	idle := map[string]bool{}        // whether nothing of it was new
	for {
		for _, one := range s.Schedules() {
			if one.When.Folder == "" || one.Card == nil || one.Paused != "" {
				delete(last, one.ID)
				continue
			}
			files, err := filesOf(one.When)
			if err == nil && !(idle[one.ID] && slices.Equal(files, last[one.ID])) {
				idle[one.ID], err = s.addFileRun(ctx, one, files, last[one.ID])
			}
			last[one.ID] = files
			if err != nil && ctx.Err() == nil {
				s.cfg.Log.Warn("new files wait", "schedule", one.ID, "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookFolders):
		}
	}
}

// addFileRun adds a run for the oldest new file that has not changed since the last look, unless a run of the schedule
// has not ended. It reports whether there was nothing new.
func (s *Schedules) addFileRun(
	ctx context.Context, one schedule.Schedule, files, before []foundFile,
) (idle bool, err error) {
	known, err := s.cfg.Store.Files(ctx, one.ID)
	if err != nil {
		return false, err
	}
	idle = true
	for _, f := range files {
		if known[f.name] == f.stamp {
			continue
		}
		idle = false
		if !slices.Contains(before, f) {
			continue
		}
		r := s.newRun(one)
		r.Slot, r.File = r.Queued, filepath.Join(one.When.Folder, f.name)
		added, err := s.addUnlessOpen(ctx, one.ID, func() error {
			return s.cfg.Store.MarkFiles(ctx, one.ID, map[string]string{f.name: f.stamp}, r)
		})
		if err != nil || !added {
			return false, err
		}
		s.wakeClock()
		return false, nil
	}
	return idle, nil
}

// markPresent notes the files that a folder contains, in place of those noted before, so that only those that come
// later are new.
func (s *Schedules) markPresent(ctx context.Context, one schedule.Schedule) error {
	stamps := map[string]string{}
	if one.When.Folder != "" {
		files, err := filesOf(one.When)
		if err != nil {
			return err
		}
		for _, f := range files {
			stamps[f.name] = f.stamp
		}
	}
	return s.cfg.Store.ReplaceFiles(ctx, one.ID, stamps)
}

// markOwn notes the file of a run as it is now, so that what the run did to it is no reason to run again.
func (s *Schedules) markOwn(ctx context.Context, r schedule.Run) error {
	if r.File == "" {
		return nil
	}
	info, err := os.Stat(r.File)
	if err != nil {
		return nil // a file that is gone or closed to us does not run again either
	}
	return s.cfg.Store.MarkFiles(ctx, r.Schedule, map[string]string{filepath.Base(r.File): stampOf(info)})
}

// newestFile returns the file for a run that a person starts.
func newestFile(when schedule.When) (string, error) {
	if when.Folder == "" {
		return "", nil
	}
	files, err := filesOf(when)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no such file in %s to run it with", when.Folder)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(when.Folder, files[len(files)-1].name), nil
}
