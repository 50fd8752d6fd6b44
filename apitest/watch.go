package apitest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tidwall/btree"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// batchSize is the maximum number of events that a watch holds outside the window.
const batchSize = 128

// lastBookmark is the maximum time between the last bookmark of a watch and its end.
const lastBookmark = 2 * time.Second

// errStreamOver ends a watch; the client sees the end of the stream.
var errStreamOver = errors.New("stream over")

// stream is a running watch. It is a cursor into the window of its table, and belongs to the goroutine of its request.
type stream struct {
	server *Server
	call   *call
	out    http.ResponseWriter
	flush  func() error
	buf    []byte

	cursor    uint64                        // number of the next event
	initial   *btree.Map[string, *revision] // objects to send first; nil means none
	version   uint64                        // up to which the client has received everything
	sent      int                           // number of frames
	last      *revision                     // last revision sent
	faultBase map[*Injection]int            // frames sent when a fault was first seen
}

// serveWatch sends events until the client, the server, the timeout or a fault ends it.
func (s *Server) serveWatch(w http.ResponseWriter, c *call) {
	st := &stream{
		server: s, call: c, out: w, flush: http.NewResponseController(w).Flush, faultBase: map[*Injection]int{},
	}
	startErr := st.start()
	if apierrors.IsBadRequest(startErr) {
		s.fail(w, c, startErr)
		return
	}
	media := c.enc.mediaType()
	if c.enc.format == formatCBOR {
		media += "-seq"
	}
	if c.enc.format == formatProtobuf {
		media += ";stream=watch"
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(http.StatusOK)
	if st.flush() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(c.handler.Context(), st.timeout())
	defer cancel()
	// If a watch cannot begin at the client's version, the client gets an event: the headers with status 200 were
	// already sent. On a real server, too, the goroutine that sends checks the version.
	err := startErr
	if err == nil {
		err = st.run(ctx)
	}
	if err != nil && !errors.Is(err, errStreamOver) && ctx.Err() == nil {
		st.sendError(statusOf(err))
	}
}

func (st *stream) timeout() time.Duration {
	if seconds := st.call.list.TimeoutSeconds; seconds != nil && *seconds > 0 {
		return time.Duration(*seconds) * time.Second
	}
	return st.server.cfg.WatchTimeout
}

// start finds the position at which to begin, and whether to send the current objects first.
func (st *stream) start() error {
	o := st.call.list
	asked, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return err
	}
	s, t := st.server, st.call.table
	s.mu.Lock()
	defer s.mu.Unlock()
	// Without a version, a watch begins with the current objects.
	present := asked == 0
	if o.SendInitialEvents != nil {
		present = *o.SendInitialEvents
		if asked > s.version {
			return tooLarge(asked, s.version)
		}
	}
	if present || asked == 0 {
		st.cursor, st.version = t.window.next, s.version
		if present {
			st.initial = t.rows.Copy()
		}
		return nil
	}
	cursor, ok := t.window.seek(asked)
	if !ok {
		return tooOld(asked, t.window.floor)
	}
	st.cursor, st.version = cursor, asked
	return nil
}

// run sends the current objects; then, repeatedly, it sends all events and waits.
func (st *stream) run(ctx context.Context) error {
	bookmarks := st.bookmarks(ctx)
	defer bookmarks.stop()
	if err := st.sendInitial(ctx); err != nil {
		return err
	}
	for owed := false; ; {
		batch, now, err := st.read()
		if err != nil {
			return err
		}
		for _, e := range batch {
			if e.version <= st.version { // the watch begins in the future
				continue
			}
			if err := st.sendEvent(ctx, e); err != nil {
				return err
			}
		}
		if len(batch) > 0 {
			continue
		}
		if now.ended {
			return errStreamOver
		}
		if st.version > now.version {
			owed = false // a watch from the future is silent until the server gets there
		}
		st.version = max(st.version, now.version)
		// Only here is nothing left to send, so that the version of a bookmark is known.
		if owed {
			if err := st.sendBookmark(ctx, periodic); err != nil {
				return err
			}
		}
		if owed, err = st.wait(ctx, now, bookmarks); err != nil {
			return err
		}
	}
}

// wait flushes the sent frames, and waits for a change, a fault or a due bookmark. It reports whether a bookmark is
// due.
func (st *stream) wait(ctx context.Context, now tableState, bookmarks *bookmarkTimer) (owed bool, err error) {
	faults := st.server.faults.changed()
	if err := st.injectFaults(ctx); err != nil {
		return false, err
	}
	if st.flush() != nil {
		return false, errStreamOver
	}
	select {
	case <-ctx.Done():
		return false, errStreamOver
	case <-st.server.done:
		return false, errStreamOver
	case <-now.wake:
	case <-faults:
	case <-bookmarks.due():
		bookmarks.next()
		return true, nil
	}
	return false, nil
}

// tableState is the state of a table when a stream has read all its events.
type tableState struct {
	version uint64
	wake    <-chan struct{}
	ended   bool
}

// read reads the next events from the window. It fails if the stream was too slow and they are no longer there.
func (st *stream) read() ([]*event, tableState, error) {
	s, t := st.server, st.call.table
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, ok := t.window.read(st.cursor, batchSize)
	if !ok {
		return nil, tableState{}, tooOld(st.version, t.window.floor)
	}
	st.cursor += uint64(len(batch))
	return batch, tableState{version: s.version, wake: t.wake, ended: t.ended}, nil
}

// sendInitial sends the current objects as additions and, for a streaming list, the final bookmark.
func (st *stream) sendInitial(ctx context.Context) (err error) {
	if st.initial == nil {
		return nil
	}
	visitFrom(st.initial, st.call.choice.namespace, "", func(rev *revision) bool {
		if st.call.choice.matches(rev) {
			err = st.send(ctx, watch.Added, rev)
		}
		return err == nil
	})
	st.initial = nil
	if err != nil || !st.call.Streaming() || !st.call.list.AllowWatchBookmarks {
		return err
	}
	if st.server.faults.suppressesEndBookmark(st.call.Request) {
		return nil
	}
	return st.sendBookmark(ctx, endOfInitial)
}

// sendEvent sends an event if the watch selects it. It skips events up to the requested version if that was in the
// future.
func (st *stream) sendEvent(ctx context.Context, e *event) error {
	if e.version <= st.version {
		return nil
	}
	kind, rev, err := st.call.choice.eventFor(e)
	if err != nil {
		return err
	}
	if rev != nil {
		if err := st.send(ctx, kind, rev); err != nil {
			return err
		}
	}
	st.version = e.version
	return nil
}

// send writes a frame, after the faults that are due before it.
func (st *stream) send(ctx context.Context, kind watch.EventType, rev *revision) error {
	if err := st.injectFaults(ctx); err != nil {
		return err
	}
	frame, err := st.frame(kind, rev)
	if err != nil {
		return err
	}
	if kind != watch.Bookmark {
		st.last = rev
	}
	return st.write(frame)
}

// frame returns the bytes of an event; the next call overwrites them.
func (st *stream) frame(kind watch.EventType, rev *revision) ([]byte, error) {
	p, err := payloadOf(rev, st.call.enc)
	if err != nil {
		return nil, err
	}
	st.buf = p.appendEvent(st.buf[:0], kind, st.call.enc.format)
	return st.buf, nil
}

func (st *stream) write(frame []byte) error {
	st.sent++
	if _, err := st.out.Write(frame); err != nil {
		return errStreamOver
	}
	return nil
}

// sendError ends the stream with an ERROR event.
func (st *stream) sendError(status metav1.Status) {
	p, err := statusPayload(status, st.call.enc.format)
	if err != nil {
		return
	}
	if st.write(p.appendEvent(nil, watch.Error, st.call.enc.format)) == nil {
		// The stream is over, so an error does not matter.
		_ = st.flush()
	}
}
