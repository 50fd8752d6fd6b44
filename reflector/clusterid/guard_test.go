package clusterid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

var (
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "kube-system", errors.New("planted"))
	errAway      = syscall.ECONNREFUSED
)

// cluster answers requests and questions for its identity. It counts both.
type cluster struct {
	mu     sync.Mutex // of questions beside a watch
	uid    string
	err    error // of questions
	away   error // of requests
	breaks error // of reads
	asked  int
	served int
	since  time.Time // of the last question
	// replaced is when another cluster answers, unless it is zero.
	replaced time.Time
}

func (c *cluster) Identity(_ context.Context, since time.Time) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.since = since
	if !c.replaced.IsZero() && time.Now().After(c.replaced) {
		c.uid = "two"
	}
	return c.uid, c.err
}

func (c *cluster) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return c.Watch(ctx, opts)
}

func (c *cluster) Watch(context.Context, metav1.ListOptions) (wire.Stream, error) {
	c.served++
	return wire.Stream{Body: io.NopCloser(&broken{c})}, c.away
}

type broken struct{ c *cluster }

func (b *broken) Read([]byte) (int, error) {
	if b.c.breaks != nil {
		return 0, b.c.breaks
	}
	return 0, io.EOF
}

// world is a guard of a cluster in a bubble of fake time.
type world struct {
	*testing.T
	*cluster
	identity *Identity
	guard    *Guard
	log      bytes.Buffer
}

func inWorld(t *testing.T, policy Policy, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, cluster: &cluster{uid: "one"}}
		cfg := Config{Cluster: w.cluster, Policy: policy, Logger: slog.New(slog.NewTextHandler(&w.log, nil))}
		if policy == End {
			cfg.UID = "one"
		}
		w.identity = New(cfg)
		w.guard = w.newGuard()
		test(w)
	})
}

func (w *world) newGuard() *Guard {
	ctx := w.Context()
	return NewGuard(w.identity, w.cluster, func(learn func(context.Context)) {
		go learn(ctx)
		synctest.Wait()
	})
}

// list, streamingList and resume send a request, read its stream, and return the first
// error. Time passes before each.
func (w *world) list() error { return w.send(w.guard.List, metav1.ListOptions{}) }

func (w *world) streamingList() error {
	yes := true
	return w.send(w.guard.Watch, metav1.ListOptions{SendInitialEvents: &yes})
}

func (w *world) resume() error {
	return w.send(w.guard.Watch, metav1.ListOptions{ResourceVersion: "5"})
}

func (w *world) send(request func(context.Context, metav1.ListOptions) (wire.Stream, error), opts metav1.ListOptions) error {
	<-time.After(time.Second)
	stream, err := request(w.Context(), opts)
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	_, err = io.ReadAll(stream.Body)
	return err
}

// granted checks that requests were granted, and how many of them and of the questions
// the cluster has got until now.
func (w *world) granted(served, asked int, errs ...error) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := errors.Join(errs...); err != nil || w.served != served || w.asked != asked {
		w.Errorf("%v; %d requests and %d questions, want %d and %d", err, w.served, w.asked, served, asked)
	}
}

// refused checks the same of a request that the guard refused.
func (w *world) refused(served, asked int, err, want error) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !errors.Is(err, want) || w.served != served || w.asked != asked {
		w.Errorf("%v, want %v; %d requests and %d questions, want %d and %d", err, want, w.served, w.asked, served, asked)
	}
}

// TestEndAsksBeforeEachRequest: the answer must be requested after the request began.
func TestEndAsksBeforeEachRequest(t *testing.T) {
	inWorld(t, End, func(w *world) {
		w.granted(1, 1, w.streamingList())
		w.granted(2, 2, w.list())
		w.granted(3, 3, w.resume())
		if !w.since.Equal(time.Now()) {
			w.Errorf("an answer of %v ago counts", time.Since(w.since))
		}
	})
}

// TestEndRefusesAnotherCluster: a request of any kind is refused, and so is each later
// request of every guard, without another question, even if the first cluster is back.
func TestEndRefusesAnotherCluster(t *testing.T) {
	for name, request := range map[string]func(*world) error{"list": (*world).list, "streaming list": (*world).streamingList, "watch": (*world).resume} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, End, func(w *world) {
				w.granted(1, 1, w.list())
				w.uid = "two"
				err := request(w)
				w.refused(1, 2, err, reflector.ErrSourceEnded)
				if !strings.Contains(err.Error(), "kube-system is two and was one") {
					w.Errorf("got error %v, want one with: kube-system is two and was one", err)
				}
				w.uid = "one"
				w.refused(1, 2, w.resume(), reflector.ErrSourceEnded)
				w.guard = w.newGuard()
				w.refused(1, 2, w.list(), reflector.ErrSourceEnded)
			})
		})
	}
}

// TestEndNeedsTheIdentity: a request is refused, and may be repeated, as long as the
// identity cannot be read for whatever reason.
func TestEndNeedsTheIdentity(t *testing.T) {
	inWorld(t, End, func(w *world) {
		for i, err := range []error{errForbidden, errAway, context.DeadlineExceeded} {
			w.err = err
			got := w.list()
			w.refused(0, i+1, got, err)
			if errors.Is(got, reflector.ErrSourceEnded) {
				w.Errorf("got the end %v, want it only with the identity", got)
			}
		}
		w.err = nil
		w.granted(1, 4, w.list())
		unknown := NewGuard(New(Config{Policy: End, UID: "one"}), w.cluster, nil)
		w.refused(1, 4, w.send(unknown.List, metav1.ListOptions{}), errUnsupported)
	})
}

// TestEndEndsTheReflector: Run returns the error of the guard.
func TestEndEndsTheReflector(t *testing.T) {
	inWorld(t, End, func(w *world) {
		w.away = errAway
		r, err := reflector.New(w.guard, delta.NewQueue(delta.Limits{}), reflector.Config{})
		if err != nil {
			w.Fatal(err)
		}
		w.replaced = time.Now().Add(time.Hour)
		ctx, cancel := context.WithTimeout(w.Context(), 3*time.Hour)
		defer cancel()
		if err := r.Run(ctx); !errors.Is(err, reflector.ErrSourceEnded) || ctx.Err() != nil || w.served < 50 { // an hour of waits of at most 45 s
			w.Errorf("Run: %v after %d requests", err, w.served)
		}
	})
}

// TestRelistAsksInDoubt: lists are always allowed. A watch resumes without a question
// unless a request or a stream has failed since the last answer.
func TestRelistAsksInDoubt(t *testing.T) {
	inWorld(t, Relist, func(w *world) {
		w.granted(1, 1, w.list()) // the guard learns the identity
		if w.identity.UID() != "one" {
			w.Errorf("the identity is %q", w.identity.UID())
		}
		w.granted(4, 1, w.streamingList(), w.resume(), w.resume())
		w.breaks = io.ErrUnexpectedEOF
		w.refused(5, 1, w.resume(), w.breaks)
		w.breaks = nil
		w.granted(6, 2, w.resume())
		w.away = errAway
		w.refused(7, 2, w.resume(), errAway)
		w.away = nil
		w.granted(8, 3, w.resume())
		w.granted(9, 3, w.resume())
	})
}

// TestRelistAnotherCluster: each guard refuses one watch that would resume at a version
// of a cluster that was replaced since its last list.
func TestRelistAnotherCluster(t *testing.T) {
	inWorld(t, Relist, func(w *world) {
		w.granted(1, 1, w.list())
		first, second := w.guard, w.newGuard()
		w.uid = "two"
		w.identity.Invalidate()
		w.refused(1, 2, w.resume(), reflector.ErrReplaced)
		w.granted(3, 2, w.list(), w.resume())
		w.guard = second
		w.granted(4, 2, w.list())
		w.refused(4, 2, w.resume(), reflector.ErrReplaced)
		w.granted(5, 2, w.resume())
		if n := strings.Count(w.log.String(), "listing from scratch"); n != 1 || w.identity.UID() != "two" {
			w.Errorf("got %d warnings and identity %s, want 1 and two:\n%s", n, w.identity.UID(), &w.log)
		}
		// A guard that begins now lists first, unless it inherits from one that does not
		// know of the replacement.
		w.uid = "three"
		w.identity.Invalidate()
		w.refused(5, 3, w.resume(), reflector.ErrReplaced)
		w.guard = w.newGuard()
		w.granted(6, 3, w.resume())
		w.guard = w.newGuard()
		w.guard.Inherit(first)
		w.refused(6, 3, w.resume(), reflector.ErrReplaced)
	})
}

// TestRelistUnknown: if the identity cannot be read, watches resume, which is logged
// once. A server that does not answer is asked again.
func TestRelistUnknown(t *testing.T) {
	inWorld(t, Relist, func(w *world) {
		w.granted(1, 1, w.list())
		for _, err := range []error{errForbidden, context.DeadlineExceeded, nil} {
			w.identity.Invalidate()
			w.err, w.asked, w.served = err, 0, 0
			w.granted(2, 1, w.resume(), w.resume())
			<-time.After(retryAfter)
		}
		w.identity.Invalidate()
		w.err, w.asked, w.served = errAway, 0, 0
		w.refused(0, 1, w.resume(), errAway)
		w.refused(0, 2, w.resume(), errAway)
		if !w.since.Equal(time.Now().Add(-time.Second)) {
			w.Errorf("an answer of %v ago counts, which was before the last failure", time.Since(w.since))
		}
		w.err = nil
		w.granted(1, 3, w.resume())
		if n := strings.Count(w.log.String(), "would not be noticed"); n != 1 {
			w.Errorf("got %d lines of the warning, want 1:\n%s", n, &w.log)
		}
	})
}

// TestRelistFailingQuestion: a question that fails, or is not answered, does not keep a watch
// from its events. It is repeated, and a watch of another cluster ends.
func TestRelistFailingQuestion(t *testing.T) {
	for _, failure := range []error{apierrors.NewInternalError(errors.New("planted")), apierrors.NewUnauthorized("planted"), io.ErrUnexpectedEOF, context.DeadlineExceeded} {
		t.Run(failure.Error(), func(t *testing.T) {
			inWorld(t, Relist, func(w *world) {
				w.granted(1, 1, w.list())
				w.identity.Invalidate()
				w.err = failure
				stream, err := w.guard.Watch(w.Context(), metav1.ListOptions{ResourceVersion: "5"})
				if err != nil {
					w.Fatal(err)
				}
				defer stream.Body.Close()
				w.granted(3, 2, w.resume()) // not asked again so soon
				w.mu.Lock()
				w.err, w.uid, w.breaks = nil, "two", io.ErrUnexpectedEOF
				w.mu.Unlock()
				<-time.After(retryAfter)
				synctest.Wait()
				if _, err := stream.Body.Read(nil); !errors.Is(err, reflector.ErrReplaced) {
					w.Errorf("got %v from a watch of another cluster, want %v", err, reflector.ErrReplaced)
				}
				w.breaks = nil
				w.refused(3, 3, w.resume(), reflector.ErrReplaced)
				w.granted(4, 3, w.resume())
			})
		})
	}
}

// TestEndFailingQuestion: a question that fails again and again does not keep a reader from
// its cluster for longer than three requests, unless the identity may not be read.
func TestEndFailingQuestion(t *testing.T) {
	inWorld(t, End, func(w *world) {
		w.err = apierrors.NewInternalError(errors.New("planted"))
		w.refused(0, 1, w.list(), w.err)
		w.refused(0, 2, w.list(), w.err)
		w.granted(2, 3, w.list(), w.resume())
		<-time.After(retryAfter)
		w.err, w.uid = nil, "two"
		w.refused(2, 4, w.list(), reflector.ErrSourceEnded)
	})
	inWorld(t, End, func(w *world) { // the question is repeated beside a watch too
		w.err = apierrors.NewInternalError(errors.New("planted"))
		w.refused(0, 1, w.list(), w.err)
		w.refused(0, 2, w.list(), w.err)
		stream, err := w.guard.Watch(w.Context(), metav1.ListOptions{ResourceVersion: "5"})
		if err != nil {
			w.Fatal(err)
		}
		defer stream.Body.Close()
		w.mu.Lock()
		w.err, w.uid, w.breaks = nil, "two", context.Canceled
		w.mu.Unlock()
		<-time.After(retryAfter)
		synctest.Wait()
		if _, err := stream.Body.Read(nil); !errors.Is(err, reflector.ErrSourceEnded) {
			w.Errorf("got %v from a watch of another cluster, want %v", err, reflector.ErrSourceEnded)
		}
	})
	for _, failure := range []error{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, io.ErrUnexpectedEOF, io.EOF} {
		inWorld(t, End, func(w *world) { // a server that restarts breaks connections
			w.err = failure
			for i := range 28 {
				w.refused(0, i+1, w.list(), w.err)
			}
			<-time.After(retryAfter)
			w.granted(1, 29, w.list())
		})
	}
	inWorld(t, End, func(w *world) {
		w.err = errForbidden
		for i := range 10 {
			w.refused(0, i+1, w.list(), w.err)
		}
	})
}

// TestRelistRestored: a version from a file is resumed only at the cluster that the file
// names.
func TestRelistRestored(t *testing.T) {
	for name, c := range map[string]struct {
		restore []string
		err     error
		why     string // "" if the watch resumes
	}{
		"the same":             {[]string{"one", "one"}, nil, ""},
		"another":              {[]string{"two"}, nil, "kube-system is one and was two"},
		"no name":              {[]string{""}, nil, "does not name its cluster"},
		"names that disagree":  {[]string{"one", "two"}, nil, "does not name its cluster"},
		"the server is silent": {[]string{"one"}, errForbidden, "is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, Relist, func(w *world) {
				for _, uid := range c.restore {
					w.identity.Restore(uid)
				}
				w.err = c.err
				err := w.resume()
				if c.why == "" {
					w.granted(1, 1, err)
					return
				}
				w.refused(0, 1, err, reflector.ErrReplaced)
				if !strings.Contains(fmt.Sprint(err), c.why) {
					w.Errorf("%v, want %s", err, c.why)
				}
				w.granted(2, 1, w.list(), w.resume())
			})
		})
	}
}

// TestRelistWithoutIdentifier: sources that cannot identify their cluster are followed,
// but a version from a file is not resumed.
func TestRelistWithoutIdentifier(t *testing.T) {
	inWorld(t, Relist, func(w *world) {
		w.identity = New(Config{Logger: slog.New(slog.DiscardHandler)})
		w.guard = w.newGuard()
		w.identity.Invalidate()
		w.granted(2, 0, w.list(), w.resume())
		w.identity.Restore("one")
		w.refused(2, 0, w.resume(), reflector.ErrReplaced)
	})
}

// TestCanceled: a request that is canceled while the guard asks leaves the doubt.
func TestCanceled(t *testing.T) {
	inWorld(t, Relist, func(w *world) {
		w.identity.Invalidate()
		<-time.After(time.Second)
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		_, err := w.guard.Watch(ctx, metav1.ListOptions{})
		w.refused(0, 1, err, context.Canceled)
		w.granted(1, 2, w.resume())
	})
}
