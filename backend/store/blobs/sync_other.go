//go:build !linux

package blobs

import "os"

// syncAll flushes files one by one.
func syncAll(_ string, fresh []string, temps map[string]*os.File) error {
	for _, id := range fresh {
		f, err := os.OpenFile(temps[id].Name(), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		err = f.Sync()
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}
