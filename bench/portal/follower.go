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
	"time"

	"github.com/vedette-io/vedette/portal/api"
)

const (
	// A slow client reads slowBytes, and then pauses.
	slowBytes = 4 << 10
	slowPause = 250 * time.Millisecond
)

// follower is a client of the stream. One goroutine reads, and the fields are for others when it
// has ended.
type follower struct {
	slow    bool
	conn    net.Conn
	base    string
	host    string
	from    int64 // the position with which the stream began; 0: not yet
	last    int64 // the last position
	changes int
	sum     uint64 // of all positions in their order
	again   int    // changes without a position of their own, such as those of a sweep
	wrong   int    // changes whose positions went back
	resets  int
	loads   int // after a reset
	bytes   int64
	err     error // why the stream ended early
}

// openFollower connects to a portal.
func openFollower(ctx context.Context, base string, slow bool) (*follower, error) {
	f := &follower{slow: slow, base: base, host: strings.TrimPrefix(base, "http://"), sum: fnvBegin}
	var d net.Dialer
	var err error
	if f.conn, err = d.DialContext(ctx, "tcp", f.host); err != nil {
		return nil, err
	}
	if slow {
		_ = f.conn.(*net.TCPConn).SetReadBuffer(16 << 10) // else the kernel would hide that it is slow
	}
	_, err = fmt.Fprintf(f.conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", api.Prefix+api.PathStream, f.host)
	return f, err
}

// read reads until the connection ends.
func (f *follower) read(ctx context.Context, loading chan struct{}) {
	in := bufio.NewReaderSize(io.TeeReader(f.conn, counter{&f.bytes}), 64<<10)
	if f.slow {
		in = bufio.NewReaderSize(&slowReader{io.TeeReader(f.conn, counter{&f.bytes})}, slowBytes)
	}
	resp, err := http.ReadResponse(in, nil)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	if err != nil {
		f.err = err
		return
	}
	lines := bufio.NewReaderSize(resp.Body, 32<<10)
	event, part := "", []byte(nil)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if !errors.Is(err, net.ErrClosed) {
				f.err = err
			}
			return
		}
		begins := len(part) == 0
		if event == "changes" {
			part = append(part, line...)
			used := f.count(part)
			part = append(part[:0], part[max(used, len(part)-unread):]...)
		} else if begins {
			f.see(ctx, &event, line, loading)
		}
		if err == nil { // the line is whole
			part = part[:0]
			if len(line) <= 2 {
				event = ""
			}
		}
	}
}

// see notes the line of an event that is short.
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

// unread is the length of a mark and a number, of which a part of a line may have the beginning.
const unread = 40

// count notes the positions in a part of a line, and returns how much of it is used. A number at
// its end may go on.
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
		n, _ := strconv.ParseInt(string(rest[:end]), 10, 64) // JSON of our portal
		f.note(n)
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

// sumOf adds a position to a sum of positions in their order.
func sumOf(sum uint64, position int64) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], sum)
	binary.LittleEndian.PutUint64(b[8:], uint64(position))
	_, _ = h.Write(b[:]) // a hash returns no error
	return h.Sum64()
}

// load loads the page again, as a browser does after a reset. loading bounds how many do at once.
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

// follow connects n clients, of which slow are slow.
func follow(ctx context.Context, base string, n, slow int) (*followers, error) {
	fs := &followers{}
	loading := make(chan struct{}, 4)
	for i := range n {
		f, err := openFollower(ctx, base, i < slow)
		if err != nil {
			return nil, errors.Join(err, fs.stop())
		}
		fs.all = append(fs.all, f)
		fs.work.Go(func() { f.read(ctx, loading) })
	}
	return fs, nil
}

// stop closes all connections, and waits for the clients.
func (fs *followers) stop() error {
	for _, f := range fs.all {
		_ = f.conn.Close() // the portal may have done so
	}
	fs.work.Wait()
	return nil
}
