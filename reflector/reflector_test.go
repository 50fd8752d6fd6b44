package reflector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a source whose watches return given bytes, one watch after the other, and
// then send nothing more.
type script struct {
	mu      sync.Mutex
	watches []string
	asked   []metav1.ListOptions // of watches
	lists   []metav1.ListOptions
	open    int // number of open bodies
}

func (s *script) List(_ context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = append(s.lists, opts)
	if opts.Limit != 1 {
		return wire.Stream{}, errors.New("no lists here")
	}
	return wire.Stream{Body: io.NopCloser(strings.NewReader(`{"metadata":{"resourceVersion":"8"},"items":[]}`)), Encoding: wire.JSON}, nil
}

func (s *script) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, opts)
	text := ""
	if len(s.watches) > 0 {
		text, s.watches = s.watches[0], s.watches[1:]
	}
	if text == "refused" {
		return wire.Stream{}, errors.New("refused")
	}
	s.open++
	due := time.After(time.Duration(*opts.TimeoutSeconds) * time.Second)
	return wire.Stream{Body: &silence{Reader: strings.NewReader(text), ctx: ctx, due: due, s: s}, Encoding: wire.JSON}, nil
}

// silence is a body that blocks at its end until the watch is due to end, or its context
// is done.
type silence struct {
	io.Reader
	ctx context.Context
	due <-chan time.Time
	s   *script
}

func (b *silence) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		select {
		case <-b.due:
			return 0, io.EOF
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	return n, err
}

func (b *silence) Close() error {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.s.open--
	return nil
}

// sink records the deltas.
type sink struct {
	got  []string
	fail error
}

func (s *sink) Put(_ context.Context, d delta.Delta) error {
	if s.fail != nil {
		return s.fail
	}
	s.got = append(s.got, strings.TrimSpace(d.Kind.String()+" "+d.Record.Name+" "+d.Version.String()))
	return nil
}

const (
	addX = `{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"5"}}}`
	done = `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`
	modX = `{"type":"MODIFIED","object":{"metadata":{"name":"x","resourceVersion":"8"}}}`
)

// TestDriver runs the driver with a silent server, a refusal and an end.
func TestDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &script{watches: []string{addX + done, "refused", modX}}
		out := &sink{}
		r, err := New(src, out, Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		<-time.After(10 * time.Minute)
		synctest.Wait()
		if got, want := strings.Join(out.got, ", "), "Begin, Upsert x 5, End  7, Upsert x 8"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if h, _ := r.Health(); h.Phase != Watching || h.Version != 8 || h.Restarts < 2 {
			t.Errorf("got %+v, want phase Watching, version 8 and at least 2 restarts", h)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if h, _ := r.Health(); h.Phase != Stopped || src.open != 0 {
			t.Errorf("got phase %v after the end with %d open bodies", h.Phase, src.open)
		}
		checkRequests(t, src.asked)
	})
}

func checkRequests(t *testing.T, asked []metav1.ListOptions) {
	t.Helper()
	first := asked[0]
	if first.SendInitialEvents == nil || !*first.SendInitialEvents || first.ResourceVersion != "" ||
		first.ResourceVersionMatch != metav1.ResourceVersionMatchNotOlderThan || !first.AllowWatchBookmarks {
		t.Errorf("got a streaming list with %+v", first)
	}
	for i, opts := range asked[1:] {
		want := "7" // silence and a refusal; the third watch has version 8
		if i >= 2 {
			want = "8"
		}
		if opts.ResourceVersion != want || opts.SendInitialEvents != nil || opts.ResourceVersionMatch != "" || !opts.AllowWatchBookmarks {
			t.Errorf("watch %d: got %+v, want version %s", i, opts, want)
		}
		if s := *opts.TimeoutSeconds; s != 30 && (s < 300 || s > 600) { // 30 after a silence
			t.Errorf("watch %d: got a timeout of %d seconds", i, s)
		}
	}
}

func TestRunEndsWithItsSink(t *testing.T) {
	full := errors.New("full")
	src := &script{watches: []string{addX}}
	r, err := New(src, &sink{fail: full}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); !errors.Is(err, full) {
		t.Errorf("Run: got %v, want %v", err, full)
	}
	if h, _ := r.Health(); h.Phase != Stopped || !errors.Is(h.Err, full) || src.open != 0 {
		t.Errorf("got %+v with %d open bodies", h, src.open)
	}
}

// ending is a source that ends: its first stream has this text and ends with this error.
// All later requests fail with the error.
type ending struct {
	text   string
	err    error
	hangs  bool // the stream is silent until it is closed
	asked  int
	closed bool
}

func (s *ending) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return s.Watch(ctx, opts)
}

func (s *ending) Watch(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	if s.asked++; s.text == "" || s.asked > 1 {
		return wire.Stream{}, s.err
	}
	return wire.Stream{Body: &endedStream{Reader: strings.NewReader(s.text), s: s, ctx: ctx}, Encoding: wire.JSON}, nil
}

type endedStream struct {
	io.Reader
	s   *ending
	ctx context.Context
}

func (b *endedStream) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		if b.s.hangs {
			<-b.ctx.Done()
		}
		err = b.s.err
	}
	return n, err
}

func (b *endedStream) Close() error {
	b.s.closed = true
	return nil
}

// TestSourceEnds checks that Run returns the error of a source that ends, from a request
// or a read, and sends no further request. An ordinary error is retried.
func TestSourceEnds(t *testing.T) {
	cause := errors.New("another cluster")
	ends := fmt.Errorf("%w: %w", ErrSourceEnded, cause)
	for name, c := range map[string]struct {
		src   ending
		cfg   Config
		asked int
	}{
		"request":                {ending{err: ends}, Config{}, 1},
		"page":                   {ending{err: ends}, Config{Streaming: PagesOnly}, 1},
		"list":                   {ending{text: addX, err: ends}, Config{}, 1},
		"watch":                  {ending{text: addX + done + modX, err: ends}, Config{}, 1},
		"resumed":                {ending{err: ends}, Config{Resume: 5, Lists: NeverList}, 1},
		"silence that was ended": {ending{text: addX + done, err: ends, hangs: true}, Config{}, 1},
		"another error":          {ending{text: addX + done, err: cause}, Config{}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := New(&c.src, &sink{}, c.cfg)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				err = r.Run(ctx)
				if c.asked > 1 {
					if err != nil || c.src.asked < c.asked {
						t.Errorf("Run: got %v after %d requests", err, c.src.asked)
					}
					return
				}
				if !errors.Is(err, ErrSourceEnded) || !errors.Is(err, cause) || c.src.asked != c.asked {
					t.Errorf("Run: got %v after %d requests, want %d", err, c.src.asked, c.asked)
				}
				h, _ := r.Health()
				if h.Phase != Stopped || !errors.Is(h.Err, cause) || !errors.Is(h.LastErr, cause) || h.Fault != NoFault || !h.Retry.IsZero() {
					t.Errorf("got %+v, want phase Stopped with the cause, and no fault", h)
				}
				if c.src.text != "" && !c.src.closed {
					t.Error("the stream is still open")
				}
			})
		})
	}
}

func TestNewErrors(t *testing.T) {
	if _, err := New(nil, &sink{}, Config{}); err == nil {
		t.Error("got no error for a nil source")
	}
	for _, cfg := range []Config{{PageSize: -1}, {IdleTimeout: -1}, {MinBackoff: time.Hour}, {WatchTimeout: -time.Second}} {
		if _, err := New(&script{}, &sink{}, cfg); err == nil || !strings.HasPrefix(err.Error(), "reflector: ") {
			t.Errorf("%+v: got %v, want an error of reflector", cfg, err)
		}
	}
}

// TestSlowSinkIsNotSilence checks that the time in the sink does not count as silence of
// the server.
func TestSlowSinkIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames := bytes.Repeat([]byte(modX), 3)
		src := &script{watches: []string{addX + done + string(frames)}}
		r, err := New(src, slow{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour+time.Minute)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if n := len(src.asked) + len(src.lists); n != 1 {
			t.Errorf("got %d requests, want 1", n)
		}
	})
}

// slow is a sink that takes an hour for each delta.
type slow struct{}

func (slow) Put(ctx context.Context, _ delta.Delta) error {
	select {
	case <-time.After(time.Hour):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// trickle is a source whose answers arrive as one byte every 10 seconds.
type trickle struct{ lists, watches atomic.Int32 }

func (s *trickle) List(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	s.lists.Add(1)
	return dribbling(ctx), nil
}

func (s *trickle) Watch(ctx context.Context, _ metav1.ListOptions) (wire.Stream, error) {
	s.watches.Add(1)
	return dribbling(ctx), nil
}

func dribbling(ctx context.Context) wire.Stream {
	return wire.Stream{Body: &dribble{ctx}, Encoding: wire.JSON}
}

type dribble struct{ ctx context.Context }

func (b *dribble) Read(p []byte) (int, error) {
	select {
	case <-time.After(10 * time.Second):
		p[0] = ' '
		return 1, nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *dribble) Close() error { return nil }

// TestTrickleIsSilence checks that a server that sends single bytes without completing an
// object counts as silent.
func TestTrickleIsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &trickle{}
		r, err := New(src, &sink{}, Config{SlowAnswer: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		h, _ := r.Health()
		if !errors.Is(h.LastErr, errIdle) || src.watches.Load() < 1 || src.lists.Load() < 5 {
			t.Errorf("got %v after %d watches and %d lists", h.LastErr, src.watches.Load(), src.lists.Load())
		}
	})
}

// TestStrayObjects checks that objects outside the requested namespace are counted,
// reported and dropped.
func TestStrayObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(space, event string) string {
			return strings.Replace(event, `{"name":`, `{"namespace":"`+space+`","name":`, 1)
		}
		src := &script{watches: []string{in("a", addX) + in("b", addX) + done + in("b", modX) + in("", modX) + in("a", modX)}}
		out := &sink{}
		r, err := New(src, out, Config{Scope: delta.Scope{Namespace: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if got, want := strings.Join(out.got, ", "), "Begin, Upsert x 5, End  7, Upsert x 8"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		h, _ := r.Health()
		if h.Invalid != 3 || h.LastInvalid == nil || !strings.Contains(h.LastInvalid.Error(), `not in the requested namespace "a"`) {
			t.Errorf("got %d invalid, last error %v", h.Invalid, h.LastInvalid)
		}
	})
}
