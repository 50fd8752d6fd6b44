package logkeeper

import (
	"context"
	"io"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/wire"
)

// Limits of following a log.
const (
	// tailBytes is the maximum text of a followed container that waits to be stored.
	tailBytes = 256 << 10
	// fullTail is the amount of text that is stored without waiting for TailEvery.
	fullTail = tailBytes / 2
	// lastWords is the maximum time to follow a container after the deletion of its pod.
	lastWords = 5 * time.Second
	// firstReopen and lastReopen are the bounds of the time between two attempts to
	// follow.
	firstReopen = 500 * time.Millisecond
	lastReopen  = 30 * time.Second
)

// following follows the log of one run of a container. One goroutine runs it.
type following struct {
	fetcher *fetcher
	pod     wire.Key
	id      runID
	every   time.Duration
	// store stores lines; it returns false if there is no room.
	store func(ctx context.Context, lines []joblog.Line, dropped int) bool
	// alive reports whether the run has not ended, as far as is known.
	alive func() bool

	mu     sync.Mutex
	lines  tail
	last   time.Time // of the last line
	full   chan struct{}
	goneAt time.Time // time of the deletion of the pod, or zero
	gone   chan struct{}
	clean  bool // the log was read to its end
}

func newFollowing(f *fetcher, pod wire.Key, id runID, every time.Duration) *following {
	return &following{
		fetcher: f, pod: pod, id: id, every: every, full: make(chan struct{}, 1), gone: make(chan struct{}),
		lines: tail{max: f.lines, maxBytes: min(tailBytes, f.bytes)},
	}
}

// podGone handles the deletion of the pod: the log is read to its end, for a limited time.
func (f *following) podGone() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.goneAt.IsZero() {
		f.goneAt = time.Now()
		close(f.gone)
	}
}

// run follows the log until the run ends or ctx ends. It reports whether the last request
// read the log to its end.
func (f *following) run(whole context.Context) (clean bool) {
	ctx, cancel := context.WithCancel(whole)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.read(ctx)
	}()
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	var last <-chan time.Time
	gone := f.gone
	for {
		select {
		case <-tick.C:
		case <-f.full:
		case <-gone:
			gone = nil
			timer := time.NewTimer(lastWords)
			defer timer.Stop()
			last = timer.C
		case <-last:
			cancel()
		case <-ended:
			f.flush(whole)
			return f.clean
		}
		f.flush(ctx)
	}
}

// flush stores new lines.
func (f *following) flush(ctx context.Context) {
	f.mu.Lock()
	lines, dropped := append([]joblog.Line(nil), f.lines.lines...), f.lines.dropped
	f.mu.Unlock()
	if len(lines) == 0 || !f.store(ctx, lines, dropped) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Keep lines that arrived in the meantime. The tail may have dropped some of the
	// stored ones.
	stored := len(lines) - (f.lines.dropped - dropped)
	for range max(stored, 0) {
		f.lines.bytes -= int64(len(f.lines.lines[0].Text))
		f.lines.lines = f.lines.lines[1:]
	}
	f.lines.dropped = 0
}

// read opens the log repeatedly until the run has ended.
//
// An API server that loses a node ends the answer as if the log had ended. So an end
// counts only if the run is known to be over, or if the log ends immediately when opened
// again.
func (f *following) read(ctx context.Context) {
	wait, ends := time.Duration(0), 0
	for {
		began := time.Now()
		ends++
		if err := f.open(ctx); err != nil {
			ends = 0
		}
		over := !f.alive() || f.isGone()
		f.clean = ends > 1 || ends == 1 && over
		if ctx.Err() != nil || over {
			return
		}
		if time.Since(began) > lastReopen {
			wait = 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-f.gone:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = min(max(2*wait, firstReopen), lastReopen)
	}
}

func (f *following) isGone() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.goneAt.IsZero()
}

// open follows the log from its last known line, until the answer ends.
func (f *following) open(ctx context.Context) error {
	query := url.Values{"follow": {"true"}}
	if f.last.IsZero() {
		query.Set("tailLines", strconv.Itoa(f.fetcher.lines))
	} else {
		query.Set("sinceTime", f.last.UTC().Format(time.RFC3339))
	}
	body, err := f.fetcher.cluster.Do(ctx, logRequest(f.pod, f.id.container, query))
	if err != nil {
		return err
	}
	defer body.Close()
	return f.readFrom(body)
}

func (f *following) readFrom(body io.Reader) error {
	since := f.last
	_, err := readLines(body, func(line joblog.Line, stamped bool) {
		if !stamped || !line.Time.After(since) { // sinceTime has whole seconds
			return
		}
		f.mu.Lock()
		f.lines.add(line)
		full := f.lines.bytes > fullTail
		f.mu.Unlock()
		f.last = line.Time
		if full {
			select {
			case f.full <- struct{}{}:
			default:
			}
		}
	})
	return err
}
