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

// maxSockets bounds Spec.Sockets: the kernel hands on about 250 descriptors at once.
const maxSockets = 64

// reach are sockets that were made inside of a run's own network. Whoever holds such a socket, it
// connects in there, and so a server of the run is reached from outside without a way from inside to
// anywhere. A socket serves one connection at a time, and another one after that.
type reach struct {
	free chan int
	done chan struct{}

	mu   sync.Mutex
	open map[int]bool // those not closed yet; one that is in use is closed by who uses it
	over bool
}

func newReach(fds []int) *reach {
	r := &reach{free: make(chan int, len(fds)), done: make(chan struct{}), open: map[int]bool{}}
	for _, fd := range fds {
		r.open[fd] = true
		r.free <- fd
	}
	return r
}

// Dial connects to a port of loopback of the run's own network; a run without one is on the
// machine's. It waits for one of the run's sockets while all are in use.
func (p *Process) Dial(ctx context.Context, port int) (net.Conn, error) {
	if p.sockets == 0 {
		return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	select {
	case <-p.reachable:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.reach == nil {
		return nil, errors.New("the run has ended")
	}
	return p.reach.dial(ctx, port)
}

func (r *reach) dial(ctx context.Context, port int) (net.Conn, error) {
	var fd int
	select {
	case fd = <-r.free:
	case <-r.done:
		return nil, errors.New("the run has ended")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	conn, err := r.connect(ctx, fd, port)
	if err != nil {
		r.give(fd)
		return nil, fmt.Errorf("connecting into the run: %w", err)
	}
	return &inward{Conn: conn, r: r, fd: fd}, nil
}

// connect connects fd and makes a connection of a copy of it.
func (r *reach) connect(ctx context.Context, fd, port int) (net.Conn, error) {
	err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	for err != nil {
		if !errors.Is(err, unix.EINPROGRESS) && !errors.Is(err, unix.EINTR) {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Loopback answers at once; only a full queue of the listener takes longer.
		n, polled := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(pollStep/time.Millisecond))
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
	f, err := copyOf(fd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileConn(f)
}

const pollStep = 20 * time.Millisecond

// give takes the connection off fd, so that it can be used for the next.
func (r *reach) give(fd int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		r.end(fd)
		return
	}
	none := unix.RawSockaddr{Family: unix.AF_UNSPEC}
	_, _, _ = unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none)), unsafe.Sizeof(none))
	_, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR) // what is told of the last one is not the next one's
	r.free <- fd
}

func (r *reach) end(fd int) {
	delete(r.open, fd)
	_ = unix.Close(fd)
}

// close ends every connection; a socket in use is closed by who uses it, so that its number does not
// become another's meanwhile.
func (r *reach) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	close(r.done)
	for {
		select {
		case fd := <-r.free:
			r.end(fd)
			continue
		default:
		}
		break
	}
	for fd := range r.open {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR)
	}
}

// inward is a connection into a run.
type inward struct {
	net.Conn
	r    *reach
	fd   int
	once sync.Once
}

// Close ends the connection and gives its socket back.
func (c *inward) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		err = c.Conn.Close()
		c.r.give(c.fd)
	})
	return err
}
