package portal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

const (
	// A slow client reads slowBytes, and then pauses.
	slowBytes = 4 << 10
	slowPause = 250 * time.Millisecond
)

// follower is a client of the stream. If the portal ends its connection, because it reads too
// slowly, it reconnects after its last complete event, as a browser does. One goroutine reads;
// the fields may be read after it has ended.
type follower struct {
	slow    bool
	base    string
	from    int64   // the initial position of the stream; 0: not yet known
	last    int64   // the last position
	id      int64   // of the last complete event
	pending []int64 // positions of an incomplete event
	changes int
	sum     uint64 // hash of all positions in order
	again   int    // changes without a position of their own, such as those of a sweep
	wrong   int    // changes whose positions decreased
	resets  int
	loads   int // reloads after a reset
	opened  int // number of connections
	bytes   int64
	err     error // why the stream ended early

	reached atomic.Int64 // last, for other goroutines

	mu   sync.Mutex
	conn net.Conn
	done bool
}

// newFollower returns a client of the portal at an address.
func newFollower(base string, slow bool) *follower {
	return &follower{slow: slow, base: base, sum: fnvBegin}
}

// connect connects to the portal.
//
// Errors: net.ErrClosed after close; those of the network.
func (f *follower) connect(ctx context.Context) error {
	host := strings.TrimPrefix(f.base, "http://")
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return err
	}
	f.mu.Lock()
	if f.done {
		f.mu.Unlock()
		return errors.Join(net.ErrClosed, conn.Close())
	}
	f.conn = conn
	f.mu.Unlock()
	f.opened++
	if f.slow {
		_ = conn.(*net.TCPConn).SetReadBuffer(16 << 10) // otherwise the kernel's buffer would hide its slowness
	}
	again := ""
	if f.id > 0 {
		again = fmt.Sprintf("Last-Event-ID: %d\r\n", f.id)
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n%s\r\n", api.Prefix+api.PathStream, host, again)
	return err
}

// close ends the client permanently.
func (f *follower) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	_ = f.conn.Close() // the portal may have closed it
}

// again is the pause before a reconnect.
const again = time.Second

// run reads until close. loading limits the number of concurrent reloads.
func (f *follower) run(ctx context.Context, loading chan struct{}) {
	for {
		err := f.read(ctx, loading)
		_ = f.conn.Close() // may be closed already
		f.pending = nil
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if !f.slow {
			f.err = err
			return
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return
		}
		if err := f.connect(ctx); err != nil {
			if !errors.Is(err, net.ErrClosed) {
				f.err = err
			}
			return
		}
	}
}

// read reads until the connection ends, and returns the reason.
func (f *follower) read(ctx context.Context, loading chan struct{}) error {
	in := bufio.NewReaderSize(io.TeeReader(f.conn, counter{&f.bytes}), 64<<10)
	if f.slow {
		in = bufio.NewReaderSize(&slowReader{io.TeeReader(f.conn, counter{&f.bytes})}, slowBytes)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	lines := bufio.NewReaderSize(resp.Body, 32<<10)
	event, id, part := "", int64(0), []byte(nil)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		switch {
		case len(part) > 0 || event == "changes" && bytes.HasPrefix(line, []byte("data: ")):
			part = append(part, line...)
			used := f.count(part)
			part = append(part[:0], part[max(used, len(part)-unread):]...)
		case bytes.HasPrefix(line, []byte("id: ")):
			id = numberAfter(line, []byte("id: "))
		default:
			f.see(ctx, &event, line, loading)
		}
		if err == nil { // the line is complete
			part = part[:0]
			if len(line) <= 2 { // the event is complete
				f.whole(id)
				event = ""
			}
		}
	}
}

// whole records the changes of a complete event.
func (f *follower) whole(id int64) {
	for _, n := range f.pending {
		f.note(n)
	}
	f.pending, f.id = f.pending[:0], max(f.id, id)
	f.reached.Store(f.last)
}

// see handles the line of a short event.
func (f *follower) see(ctx context.Context, event *string, line []byte, loading chan struct{}) {
	switch {
	case bytes.HasPrefix(line, []byte("event: ")):
		*event = string(bytes.TrimSpace(line[len("event: "):]))
		if *event == "reset" {
			f.resets++
			f.load(ctx, loading)
		}
	case *event == "beat" && f.from == 0 && bytes.HasPrefix(line, []byte("data: ")):
		f.from = numberAfter(line, []byte(`"position":`))
		f.last = f.from
	}
}

var mark = []byte(`{"position":`)

// unread is the maximum length of a key and a number; the end of a part of a line may have their
// beginning.
const unread = 40

// count records the positions in a part of a line, and returns the number of bytes used. A
// number at the end of the part may be incomplete.
func (f *follower) count(part []byte) (used int) {
	for {
		at := bytes.Index(part[used:], mark)
		if at < 0 {
			return used
		}
		rest := part[used+at+len(mark):]
		end := bytes.IndexByte(rest, ',')
		if end < 0 {
			return used
		}
		n, _ := strconv.ParseInt(string(rest[:end]), 10, 64) // always a number in JSON of our portal
		f.pending = append(f.pending, n)
		used += at + len(mark) + end
	}
}

func (f *follower) note(n int64) {
	switch {
	case n == f.last:
		f.again++
	case n < f.last:
		f.wrong++
	default:
		f.last, f.sum = n, sumOf(f.sum, n)
		f.changes++
	}
}

const fnvBegin = 14695981039346656037

// sumOf adds a position to a hash of positions in order.
func sumOf(sum uint64, position int64) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], sum)
	binary.LittleEndian.PutUint64(b[8:], uint64(position))
	_, _ = h.Write(b[:]) // a hash returns no error
	return h.Sum64()
}

// load reloads the page, as a browser does after a reset. loading limits the number of concurrent
// reloads.
func (f *follower) load(ctx context.Context, loading chan struct{}) {
	loading <- struct{}{}
	defer func() { <-loading }()
	if _, err := get(ctx, http.DefaultClient, f.base+api.Prefix+"/jobs"); err == nil {
		f.loads++
	}
}

func numberAfter(line, mark []byte) int64 {
	_, rest, _ := bytes.Cut(line, mark)
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseInt(string(rest[:end]), 10, 64)
	return n
}

// counter counts bytes.
type counter struct{ n *int64 }

func (c counter) Write(b []byte) (int, error) {
	*c.n += int64(len(b))
	return len(b), nil
}

// slowReader reads a little at a time.
type slowReader struct{ r io.Reader }

func (s *slowReader) Read(b []byte) (int, error) {
	<-time.After(slowPause)
	return s.r.Read(b[:min(len(b), slowBytes)])
}

// followers are many clients.
type followers struct {
	all  []*follower
	work sync.WaitGroup
}

// follow connects n clients, slow of which read slowly.
func follow(ctx context.Context, base string, n, slow int) (*followers, error) {
	fs := &followers{}
	loading := make(chan struct{}, 4)
	for i := range n {
		f := newFollower(base, i < slow)
		if err := f.connect(ctx); err != nil {
			fs.stop()
			return nil, err
		}
		fs.all = append(fs.all, f)
		fs.work.Go(func() { f.run(ctx, loading) })
	}
	return fs, nil
}

// behind returns the number of fast clients that have not reached a position.
func (fs *followers) behind(position int64) (n int) {
	for _, f := range fs.all {
		if !f.slow && f.reached.Load() < position {
			n++
		}
	}
	return n
}

// stop closes all connections, and waits for the clients.
func (fs *followers) stop() {
	for _, f := range fs.all {
		f.close()
	}
	fs.work.Wait()
}
