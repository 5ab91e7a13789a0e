//go:build !unix

package secrets

// lock does nothing here. The lock of the data folder keeps a second Sextant away; of two concurrent writes the later
// one wins.
func (f *folder) lock() (unlock func(), err error) { return func() {}, nil }
