package browser

// KillForTest ends Chromium as a crash would.
func (b *Browser) KillForTest() {
	b.mu.Lock()
	e := b.engine
	b.mu.Unlock()
	e.proc.Kill()
}
