package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/wire"
)

// Limits for reading one log.
const (
	maxFailures  = 4 // failures in a row after which a log is given up, without Follow
	maxPasses    = 3 // answers of a log that is still being written
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 5 * time.Second
	silence      = time.Minute // without a byte, if the log is not followed
	statusDelay  = time.Second // the time until the server knows about a restart
)

var (
	errSilent     = errors.New("the node sent nothing for a minute")
	errSuperseded = errors.New("the container runs again, and its node no longer has this log")
)

// live reads the log of one run from its node. One goroutine reads; others may call
// change.
type live struct {
	o       *Options
	run     *run
	resume  *resume
	pending scanned // the last line of an answer, if it was incomplete
	broken  bool    // the last answer ended with an error
	lost    bool    // the pod is deleted, and some lines may be unread

	mu      sync.Mutex // guards the fields below
	status  status
	changed chan struct{} // closed, and replaced, when status changes
}

// status is the state of a run in the cluster.
type status struct {
	over     bool // no more lines will be written
	previous bool // the container was restarted
	gone     bool // the pod was deleted, or the container was restarted twice
}

func newLive(o *Options, r *run) *live {
	return &live{o: o, run: r, resume: newResume(), status: status{over: r.over, previous: r.previous}, changed: make(chan struct{})}
}

// change sets the state of the run.
func (s *live) change(now status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now != s.status {
		s.status = now
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func (s *live) now() (status, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.changed
}

// read reads the log to its current end. A server also ends an answer normally when it has
// lost the node, so read repeats the request until an answer has nothing new.
//
// Errors: *submit.DeniedError; those of the database; the cause of ctx. All others become
// notes.
func (s *live) read(ctx context.Context, out *batch) error {
	if s.o.Tail != nil && *s.o.Tail == 0 && !s.resume.begun {
		return nil
	}
	failures := 0
	for passes := 1; ; passes++ {
		n, err := s.pass(ctx, false, out)
		st, _ := s.now()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && n == 0 && passes > 1, err == nil && !st.over && (s.o.Follow || passes == maxPasses):
			return nil
		case err == nil:
			failures = 0
			continue
		case errors.Is(err, errSuperseded) && st.gone:
			return s.unreadable(ctx, out, err)
		case errors.Is(err, errSuperseded):
		case outcomeOf(err) == fatal:
			return s.denied(ctx, err)
		case outcomeOf(err) == final:
			return s.unreadable(ctx, out, err)
		}
		if n > 0 {
			failures = 0
		}
		if failures++; failures == maxFailures {
			return s.unreadable(ctx, out, err)
		}
		if err := s.pause(ctx, failures); err != nil {
			return err
		}
	}
}

// follow reads the log until its run is over.
//
// Errors: as read.
func (s *live) follow(ctx context.Context, out *batch) error {
	failures := 0
	for {
		if st, _ := s.now(); st.over || st.gone {
			return s.rest(ctx, st, out)
		}
		n, err := s.pass(ctx, true, out)
		s.broken = err != nil && !errors.Is(err, errSuperseded)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && outcomeOf(err) == fatal:
			return s.denied(ctx, err)
		case n > 0:
			failures = 0
		}
		if failures++; failures == maxFailures && err != nil {
			note := s.run.note(s.resume.latest, fmt.Sprintf("the log of container %s of pod %s cannot be read now and will be retried: %s", s.run.container, s.run.pod, words(err)))
			if err := errors.Join(out.add(ctx, note), out.flush(ctx)); err != nil {
				return err
			}
		}
		if err := s.pause(ctx, failures); err != nil {
			return err
		}
	}
}

// rest reads the remaining lines of a run that is over. The log of a deleted pod can no
// longer be read, and another pod may have its name.
func (s *live) rest(ctx context.Context, st status, out *batch) error {
	if !st.gone {
		return s.read(ctx, out)
	}
	s.lost = true
	if !s.broken {
		return nil
	}
	return out.add(ctx, s.run.note(s.resume.latest, fmt.Sprintf("the last lines of container %s of pod %s may be missing: the pod was deleted while its log was read", s.run.container, s.run.pod)))
}

// pause waits before the next request, or until the state of the run changes.
func (s *live) pause(ctx context.Context, failures int) error {
	wait := min(firstBackoff<<min(failures-1, 10), lastBackoff)
	wait = wait/2 + rand.N(wait/2)
	_, changed := s.now()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unreadable adds a note that a log cannot be read, and its kept lines.
//
// Errors: those of the database; the cause of ctx.
func (s *live) unreadable(ctx context.Context, out *batch, err error) error {
	what := "the log"
	if s.resume.begun {
		what = "the rest of the log"
	}
	note := s.run.note(s.resume.latest, fmt.Sprintf("%s of container %s of pod %s cannot be read: %s", what, s.run.container, s.run.pod, words(err)))
	if s.run.spare == nil {
		return out.add(ctx, note)
	}
	note.Note += "; what follows was kept"
	if err := out.add(ctx, note); err != nil {
		return err
	}
	return (&past{o: s.o, run: s.run.stored(), after: s.resume.latest}).read(ctx, out)
}

func (s *live) denied(ctx context.Context, err error) error {
	return submit.Denied(ctx, s.o.Cluster, err, submit.Right{Verb: "get", Resource: pods, Subresource: "log", Namespace: s.o.Job.Namespace})
}

// open requests the log, beginning with the last line that was seen.
func (s *live) open(ctx context.Context, follow bool) (io.ReadCloser, error) {
	query := url.Values{"container": {s.run.container}, "timestamps": {"true"}}
	if follow {
		query.Set("follow", "true")
	}
	if st, _ := s.now(); st.previous {
		query.Set("previous", "true")
	}
	since := s.o.Since
	if s.resume.begun {
		since = latest(since, s.resume.since())
	} else if s.o.Tail != nil {
		query.Set("tailLines", strconv.Itoa(*s.o.Tail))
		s.resume.tailed = true
	}
	if !since.IsZero() {
		query.Set("sinceTime", since.UTC().Truncate(time.Second).Format(time.RFC3339))
	}
	path := "/api/v1/namespaces/" + url.PathEscape(s.o.Job.Namespace) + "/pods/" + url.PathEscape(s.run.pod) + "/log"
	return s.o.Cluster.Do(ctx, kube.Request{Path: path, Query: query})
}

// pass reads one answer. n is the number of new lines in it.
func (s *live) pass(ctx context.Context, follow bool, out *batch) (n int, err error) {
	pass, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watchdog *time.Timer
	if !follow {
		watchdog = time.AfterFunc(silence, func() { cancel(errSilent) })
		defer watchdog.Stop()
	}
	body, err := s.open(pass, follow)
	if err != nil {
		return 0, cmpCause(pass, err)
	}
	defer body.Close()
	in := newScanner(body)
	s.resume.answer()
	for {
		if in.waits() {
			if err := out.flush(pass); err != nil {
				return n, err
			}
		}
		l, err := in.next()
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, cmpCause(pass, err)
		}
		if watchdog != nil {
			watchdog.Reset(silence)
		}
		told, err := s.tell(pass, l, out)
		if err != nil {
			return n, cmpCause(pass, err)
		}
		if told {
			n++
		}
	}
}

// cmpCause returns the cause of ctx if it has ended, because it is the reason for err.
func cmpCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// tell adds a line of an answer, if it is new.
func (s *live) tell(ctx context.Context, l scanned, out *batch) (told bool, err error) {
	if l.at.IsZero() {
		// Every line has a time. A line without one is a message of the node, or the rest
		// of a truncated answer.
		again := s.pending == l
		s.pending = l
		if l.partial && !again {
			return true, nil
		}
		return false, out.add(ctx, s.run.note(s.resume.latest, "the node reports: "+short(l.text)))
	}
	fresh, gap := s.resume.fresh(l)
	switch {
	case !fresh:
		return false, nil
	case l.partial && s.pending != l:
		s.pending = l // it counts if it is repeated like this
		return true, nil
	case gap:
		if err := s.confirm(ctx); err != nil {
			return false, err
		}
		note := s.run.note(s.resume.latest, fmt.Sprintf("lines of container %s of pod %s after %s may be missing: its node no longer has the lines before", s.run.container, s.run.pod, clock(s.resume.latest)))
		if err := out.add(ctx, note); err != nil {
			return false, err
		}
	}
	s.resume.took(l)
	if l.at.Before(s.o.Since) {
		return false, nil
	}
	line := s.run.line(l.at, l.text)
	line.Cut = l.cut
	return true, out.add(ctx, line)
}

// confirm checks that the log still belongs to the run, if its last line was not repeated.
//
// Errors: errSuperseded, after which the caller reads the log as the previous one.
func (s *live) confirm(ctx context.Context) error {
	timer := time.NewTimer(statusDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	client, err := kube.For[corev1.Pod](s.o.Cluster, kube.ClientConfig{})
	if err != nil {
		return err
	}
	pod, err := client.Get(ctx, wire.Key{Namespace: s.o.Job.Namespace, Name: s.run.pod})
	if err != nil {
		return nil // it is deleted, or has no status
	}
	now := statusOf(podStateOf(pod), s.run)
	before, _ := s.now()
	s.change(now)
	if now.previous && !before.previous || now.gone {
		return errSuperseded
	}
	return nil
}

// statusOf returns the state of a run in the status of a pod.
func statusOf(p *podState, r *run) status {
	if p.UID != r.podUID {
		return status{over: true, gone: true}
	}
	for _, c := range p.Containers {
		if c.Name != r.container {
			continue
		}
		switch c.Restarts - r.restart {
		case 0:
			return status{over: c.Ended || p.Over}
		case 1:
			return status{over: true, previous: c.Before, gone: !c.Before}
		}
		return status{over: true, gone: true}
	}
	return status{over: p.Over}
}
