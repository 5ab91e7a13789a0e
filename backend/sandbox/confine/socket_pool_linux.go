package confine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxSockets limits Spec.MaxConns, because the kernel passes at most about 250 descriptors at once.
const maxSockets = 64

// socketPool has sockets that were created in a run's own network. Connecting one of them from outside reaches a server
// of the run, without giving the run a way out.
type socketPool struct {
	free chan int
	done chan struct{}

	mu     sync.Mutex
	open   map[int]bool // all that are not closed yet
	closed bool
}

func newSocketPool(fds []int) *socketPool {
	r := &socketPool{free: make(chan int, len(fds)), done: make(chan struct{}), open: map[int]bool{}}
	for _, fd := range fds {
		r.open[fd] = true
		r.free <- fd
	}
	return r
}

// Dial connects to a port on loopback in the run's own network, or on the machine if the run has no sockets (see
// Spec.MaxConns). It waits while all sockets are in use.
func (p *Process) Dial(ctx context.Context, port int) (net.Conn, error) {
	if p.maxConns == 0 {
		return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	select {
	case <-p.socketsReady:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.sockets == nil {
		return nil, errors.New("the run has ended")
	}
	return p.sockets.dial(ctx, port)
}

func (s *socketPool) dial(ctx context.Context, port int) (net.Conn, error) {
	var fd int
	select {
	case fd = <-s.free:
	case <-s.done:
		return nil, errors.New("the run has ended")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := s.connect(ctx, fd, port)
	if err != nil {
		s.release(fd)
		return nil, fmt.Errorf("connecting into the run: %w", err)
	}
	return &pooledConn{Conn: conn, pool: s, fd: fd}, nil
}

// connect connects fd and returns a connection with a duplicate of it.
func (s *socketPool) connect(ctx context.Context, fd, port int) (net.Conn, error) {
	err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	for err != nil {
		if !errors.Is(err, unix.EINPROGRESS) && !errors.Is(err, unix.EINTR) {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Loopback responds at once unless the listener's queue is full.
		n, polled := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(pollInterval/time.Millisecond))
		if polled != nil && !errors.Is(polled, unix.EINTR) {
			return nil, polled
		}
		if n > 0 {
			code, failed := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			if failed != nil {
				return nil, failed
			}
			if code != 0 {
				return nil, syscall.Errno(code)
			}
			err = nil
		}
	}
	f, err := dupFile(fd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileConn(f)
}

const pollInterval = 20 * time.Millisecond

// release disconnects fd and makes it available again.
func (s *socketPool) release(fd int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.closeSocket(fd)
		return
	}
	addr := unix.RawSockaddr{Family: unix.AF_UNSPEC}
	_, _, _ = unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&addr)), unsafe.Sizeof(addr))
	_, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR) // clear the error of the last connection
	s.free <- fd
}

func (s *socketPool) closeSocket(fd int) {
	delete(s.open, fd)
	_ = unix.Close(fd)
}

// close ends every connection. Sockets in use are closed by their users, so that their numbers are not reused too
// early.
func (s *socketPool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.done)
	for {
		select {
		case fd := <-s.free:
			s.closeSocket(fd)
			continue
		default:
		}
		break
	}
	for fd := range s.open {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR)
	}
}

type pooledConn struct {
	net.Conn
	pool *socketPool
	fd   int
	once sync.Once
}

// Close ends the connection and returns its socket to the pool.
func (c *pooledConn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		err = c.Conn.Close()
		c.pool.release(c.fd)
	})
	return err
}
