package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxMessage bounds one protocol message, so that a page cannot exhaust memory.
const maxMessage = 256 << 20

var errTooLarge = errors.New("the browser sent a message over 256 MB")

// Pipe is the debugging pipe, which carries JSON messages that end with a NUL byte. It implements rod's
// cdp.WebSocketable. Send may be called concurrently; Read only by one goroutine.
type Pipe struct {
	in   *bufio.Reader
	out  io.Writer
	mu   sync.Mutex
	ends []*os.File
	once sync.Once
}

func newPipe(in, out *os.File) *Pipe {
	return &Pipe{in: bufio.NewReaderSize(in, 1<<20), out: out, ends: []*os.File{in, out}}
}

// Send writes one message.
func (p *Pipe) Send(data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	buf := make([]byte, 0, len(data)+1)
	buf = append(append(buf, data...), 0)
	if _, err := p.out.Write(buf); err != nil {
		return fmt.Errorf("writing to the browser: %w", err)
	}
	return nil
}

// Read returns the next message without its NUL.
func (p *Pipe) Read() ([]byte, error) {
	var msg []byte
	for {
		part, err := p.in.ReadSlice(0)
		msg = append(msg, part...)
		if len(msg) > maxMessage {
			return nil, errTooLarge
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading from the browser: %w", err)
		}
		return msg[:len(msg)-1], nil
	}
}

func (p *Pipe) close() {
	p.once.Do(func() {
		for _, f := range p.ends {
			_ = f.Close()
		}
	})
}
