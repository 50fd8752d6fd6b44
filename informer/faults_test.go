package informer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// entry is one line of a log.
type entry struct {
	at    time.Duration
	level slog.Level
	text  string // "message key=value key=value"
}

// logCapture is a slog.Handler that keeps all lines.
type logCapture struct {
	started time.Time
	mu      sync.Mutex
	entries []entry
}

func (l *logCapture) Enabled(context.Context, slog.Level) bool { return true }
func (l *logCapture) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logCapture) WithGroup(string) slog.Handler            { return l }
func (l *logCapture) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry{time.Since(l.started), r.Level, text})
	return nil
}

// take returns the lines since the last call.
func (l *logCapture) take() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	some := l.entries
	l.entries = nil
	return some
}

// captureLog captures the lines of the default logger until the end of the test.
func captureLog(t *testing.T) *logCapture {
	t.Helper()
	l := &logCapture{started: time.Now()}
	before, out, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(l))
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(out)
		log.SetFlags(flags)
	})
	return l
}

// checkSingleLine checks that there is one line, that it has the level and the texts, and
// that it was written within a time.
func checkSingleLine(t *testing.T, entries []entry, level slog.Level, within time.Duration, want ...string) {
	t.Helper()
	if len(entries) != 1 {
		t.Errorf("got %d lines, want 1: %+v", len(entries), entries)
		return
	}
	e := entries[0]
	if e.level != level || e.at > within {
		t.Errorf("got level %v after %v, want %v within %v", e.level, e.at, level, within)
	}
	for _, w := range want {
		if !strings.Contains(e.text, w) {
			t.Errorf("got line %q, want %q in it", e.text, w)
		}
	}
}

// pipes is a net.Listener of in-memory connections, which work in fake time.
type pipes struct {
	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close(); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6443} }

// serveOverPipes serves handler over pipes, in fake time, and returns a function that dials it.
func serveOverPipes(t *testing.T, handler http.HandlerFunc) func(context.Context, string, string) (net.Conn, error) {
	p := &pipes{conns: make(chan net.Conn)}
	p.closed, p.close = context.WithCancel(context.Background())
	srv := &http.Server{Handler: handler, ErrorLog: log.New(discard{}, "", 0)}
	var work sync.WaitGroup
	work.Go(func() { _ = srv.Serve(p) })
	t.Cleanup(func() {
		_ = srv.Close()
		work.Wait()
	})
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case p.conns <- far:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// fixedResponse returns a handler that answers all requests alike.
func fixedResponse(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// brokenSetups are faults that the first program of a user may meet.
var brokenSetups = []struct {
	name    string
	host    string
	dial    func(context.Context, string, string) (net.Conn, error)
	handler http.HandlerFunc
	within  time.Duration
	want    []string
}{
	{
		name: "connection refused", within: time.Second, want: []string{"fault=unreachable", "connection refused", "remedy=is the cluster running"},
		dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		},
	},
	{
		name: "unknown host", within: time.Second, want: []string{"fault=unreachable", "no such host", "remedy=check the server address"},
		dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere", IsNotFound: true}}
		},
	},
	{
		name: "black hole", within: 10 * time.Second, want: []string{"fault=unreachable", "no answer for 8s", "remedy=check the server address"},
		dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second) // like the timeout of a dialer
			defer cancel()
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
		},
	},
	{
		name: "accepts and never answers", within: 10 * time.Second, want: []string{"fault=unreachable", "no answer for 8s", "remedy=check the server address"},
		handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	},
	{
		name: "headers without a list", within: 10 * time.Second, want: []string{"fault=unreachable", "no answer for 8s"},
		handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	},
	{
		name: "access denied", within: time.Second, want: []string{"fault=denied", "remedy=request the verbs list and watch"},
		handler: fixedResponse(403, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"alice may not","code":403}`),
	},
	{
		name: "unknown credentials", within: time.Second, want: []string{"fault=denied", "remedy=log in again"},
		handler: fixedResponse(401, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","message":"Unauthorized","code":401}`),
	},
	{
		name: "login page", within: time.Second, want: []string{"fault=unreachable", "remedy=check the server address, and whether a proxy"},
		handler: fixedResponse(200, "text/html", "<html>Please log in</html>"),
	},
	{
		name: "TLS to a server without TLS", host: "https://cluster", within: time.Second, want: []string{"fault=unreachable", "remedy=check the port and http or https"},
		handler: fixedResponse(400, "text/plain", "what?"),
	},
	{
		name: "unknown type", within: time.Second, want: []string{"fault=absent", "remedy=check the server address"},
		handler: fixedResponse(404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"the server could not find the requested resource","code":404}`),
	},
}

// TestFaultsAreLogged: the first program of the README, without any configuration, logs a
// fault once and soon, with a remedy. The user does not need to read Health.
func TestFaultsAreLogged(t *testing.T) {
	for _, s := range brokenSetups {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				book := captureLog(t)
				if s.handler != nil {
					s.dial = serveOverPipes(t, s.handler)
				}
				if s.host == "" {
					s.host = "http://cluster"
				}
				cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: s.host, Dial: s.dial}})
				if err != nil {
					t.Fatal(err)
				}
				defer cluster.Close()
				pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{LabelSelector: "app=train"})
				if err != nil {
					t.Fatal(err)
				}
				runProgram(t, pods, time.Minute)
				<-time.After(time.Minute) // net/http does not interrupt a dial
				checkSingleLine(t, book.take(), slog.LevelWarn, s.within, append(s.want, "list and watch fail", "resource=Pod.v1", "scope=all", "host=cluster", "synced=false")...)
			})
		})
	}
}

// runProgram does the same as the first program of the README, for a time d.
func runProgram(t *testing.T, pods *informer.Informer[corev1.Pod], d time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var work sync.WaitGroup
	work.Go(func() {
		if err := pods.Run(ctx); err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	})
	for range pods.Events(ctx) {
	}
	work.Wait()
}

// TestFaultsEnd: the end of a fault is logged in one line with its duration, even if the
// fault changed into another one.
func TestFaultsEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		forbidden := must(w.srv.Inject(apitest.Fault{Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))}))
		w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{})))
		w.advance(2 * time.Minute)
		checkSingleLine(t, book.take(), slog.LevelWarn, time.Second, "fault=denied")
		must(w.srv.Inject(apitest.Fault{Times: 1, Action: apitest.Respond(apitest.Failure(500, 0))}))
		forbidden.Release()
		w.advance(2 * time.Minute)
		entries := slices.DeleteFunc(book.take(), func(e entry) bool { return !strings.HasPrefix(e.text, "informer: ") })
		if len(entries) != 2 {
			t.Fatalf("got lines %+v, want 2", entries)
		}
		checkSingleLine(t, entries[:1], slog.LevelWarn, time.Hour, "fault=unreachable", "remedy=check the API server")
		checkSingleLine(t, entries[1:], slog.LevelInfo, time.Hour, "list and watch work again", "resource=Pod.v1", "after=2m")
	})
}

// TestFaultsDoNotFlood: a server that accepts each request and then closes the connection is
// one fault. A server whose errors all differ causes a bounded number of lines.
func TestFaultsDoNotFlood(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		must(w.srv.Inject(apitest.Fault{Times: apitest.Always, Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Cut(apitest.CutMidFrame)}))
		w.create(pod("a"))
		w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{})))
		w.advance(time.Hour)
		if n := len(book.take()); n > 200 {
			t.Errorf("got %d lines in an hour of the same fault, want at most 200", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		book := captureLog(t)
		n := 0
		src := failing(func() error { n++; return fmt.Errorf("fault %c%c", 'a'+n%26, 'a'+n/26%26) })
		pods := must(informer.New[corev1.Pod](src, informer.Config{Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 100 * time.Millisecond}}))
		runProgram(t, pods, 10*time.Minute)
		if lines := len(book.take()); lines > 61 || n < 1000 {
			t.Errorf("got %d lines for %d faults in 10 minutes, want at most 61 for at least 1000", lines, n)
		}
	})
}

// failing is a reflector.Source whose requests fail with the error of the function.
type failing func() error

func (f failing) List(context.Context, metav1.ListOptions) (wire.Stream, error) {
	return wire.Stream{}, f()
}

func (f failing) Watch(context.Context, metav1.ListOptions) (wire.Stream, error) {
	return wire.Stream{}, f()
}

// TestDiscardingLogger: with a Logger that discards, nothing is logged.
func TestDiscardingLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := captureLog(t)
		cfg := informer.Config{Logger: slog.New(slog.DiscardHandler)}
		runProgram(t, must(informer.New[corev1.Pod](failing(func() error { return errors.New("no") }), cfg)), time.Minute)
		if entries := book.take(); len(entries) > 0 {
			t.Errorf("got lines %+v, want none", entries)
		}
	})
}

// TestInformerNotRunning: if a program waits for an informer without calling Run, the log,
// Health and the error say so. The log also says when the informer is running.
func TestInformerNotRunning(t *testing.T) {
	for name, wait := range map[string]func(w *world, i *informer.Informer[corev1.Pod]) error{
		"Events": func(w *world, i *informer.Informer[corev1.Pod]) error {
			for range i.Events(w.ctx) {
			}
			return nil
		},
		"Handle": func(w *world, i *informer.Informer[corev1.Pod]) error {
			_, err := i.Handle(informer.Handler[corev1.Pod]{OnDelete: func(context.Context, *corev1.Pod, bool) error { return nil }}, informer.HandlerConfig{})
			return err
		},
		"Synced":      func(w *world, i *informer.Informer[corev1.Pod]) error { i.Synced(); return nil },
		"WaitFor":     func(w *world, i *informer.Informer[corev1.Pod]) error { _ = i.WaitFor(w.ctx, 1); return nil },
		"WaitForSync": func(w *world, i *informer.Informer[corev1.Pod]) error { _ = i.WaitForSync(w.ctx); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				book := captureLog(t)
				pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
				w.work.Go(func() {
					if err := wait(w, pods); err != nil {
						t.Error(err)
					}
				})
				w.advance(time.Minute)
				checkSingleLine(t, book.take(), slog.LevelWarn, 10*time.Second, "an informer that is not running", "resource=Pod.v1", "remedy=call its Run")
				if h, _ := pods.Health(); h.Ready() == nil || !strings.Contains(h.Ready().Error(), "not running: call its Run") {
					t.Errorf("Ready() = %v, want an error that the informer is not running", h.Ready())
				}
				w.run(pods)
				w.advance(10 * time.Second)
				checkSingleLine(t, book.take(), slog.LevelInfo, 2*time.Minute, "the informer is running now")
				if h, _ := pods.Health(); h.Ready() != nil {
					t.Errorf("Ready() = %v while the informer runs, want nil", h.Ready())
				}
			})
		})
	}
	inWorld(t, func(w *world) {
		book := captureLog(t)
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		must(informer.For[corev1.Pod](f, informer.Config{}))
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		if err := f.WaitForSync(ctx); err == nil || !strings.Contains(err.Error(), "call the Run of its factory") {
			t.Errorf("WaitForSync: got %v, want an error with the remedy to call the Run of the factory", err)
		}
		checkSingleLine(t, book.take(), slog.LevelWarn, 10*time.Second, "an informer that is not running", "remedy=call the Run of its factory")
	})
}

// TestStuckHandlerIsLogged: a call of a handler that does not return is logged, and also its
// end.
func TestStuckHandlerIsLogged(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		must(pods.Handle(informer.Handler[corev1.Pod]{OnAdd: func(ctx context.Context, p *corev1.Pod, _ bool) error {
			if p.Name == "slow" {
				<-time.After(time.Minute)
			}
			return nil
		}}, informer.HandlerConfig{Name: "mine"}))
		w.create(pod("slow"), pod("z"))
		w.run(pods)
		w.advance(30 * time.Second)
		checkSingleLine(t, book.take(), slog.LevelWarn, 10*time.Second, "a handler does not return", "handler=mine", "event=Added", "object=default/slow")
		if h, _ := pods.Health(); time.Since(h.Handlers[0].Called).Round(time.Second) != 30*time.Second {
			t.Errorf("got %+v, want a call that began 30 seconds ago", h.Handlers[0])
		}
		w.advance(time.Minute)
		checkSingleLine(t, book.take(), slog.LevelInfo, 2*time.Minute, "a handler has returned", "handler=mine", "after=52s")
		if h, _ := pods.Health(); !h.Handlers[0].Called.IsZero() {
			t.Errorf("got %+v, want no call in progress", h.Handlers[0])
		}
	})
}

// TestUnusableObjectsAreLogged: unusable objects are logged in one line.
func TestUnusableObjectsAreLogged(t *testing.T) {
	inWorld(t, func(w *world) {
		book := captureLog(t)
		pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.run(pods)
		w.advance(time.Second)
		must(w.srv.Inject(apitest.Fault{Times: 3, Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Garbage(apitest.GarbageOtherKind)}))
		w.create(pod("a"), pod("b"), pod("c"), pod("d"))
		w.advance(time.Minute)
		checkSingleLine(t, book.take(), slog.LevelWarn, 2*time.Second, "an unusable object is skipped", "err=", "skipped=")
	})
}

// TestSnapshotFileFaults: a snapshot file that cannot be written is logged once, and once
// more when it is written again.
func TestSnapshotFileFaults(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "later")
	inWorld(t, func(w *world) {
		book := captureLog(t)
		w.create(pod("a"))
		w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{WarmStart: informer.WarmStart{Path: filepath.Join(folder, "pods"), Every: time.Minute}})))
		w.advance(10 * time.Minute)
		checkSingleLine(t, book.take(), slog.LevelWarn, 2*time.Minute, "cannot be written", "file="+folder, "remedy=")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		w.advance(2 * time.Minute)
		checkSingleLine(t, book.take(), slog.LevelInfo, time.Hour, "is written again")
	})
}
