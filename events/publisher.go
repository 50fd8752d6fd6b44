package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/internal/userlog"
	"github.com/vedette-io/vedette/kube"
)

// Config configures a Publisher.
type Config struct {
	// Cluster is the cluster of the objects. Its user must be allowed to create and patch
	// events of events.k8s.io.
	Cluster *kube.Cluster
	// Controller is the name of the program, such as "example.com/trainjobs".
	Controller string
	// Instance is the name of the process; default the host name.
	Instance string
	// Logger receives faults of the server; default slog.Default() at the time of a line.
	Logger *slog.Logger
}

// Publisher publishes Events. Create it with New.
type Publisher struct {
	cfg    Config
	client *kube.Client[eventsv1.Event]
	faults *faultlog.Reporter
	idle   *idleMonitor
	wake   chan struct{}

	mu    sync.Mutex
	book  *book
	stats Stats
}

// Stats are counters of a Publisher.
type Stats struct {
	// Created and Patched count requests that succeeded, Failed those that did not.
	Created, Patched, Failed uint64
	// Dropped counts occurrences that were not sent: their objects had too many Events,
	// they were invalid, or the server rejected them or did not answer in time.
	Dropped uint64
	// Waiting is the number of Events that are not sent yet.
	Waiting int
	// NotRun is the reason why nothing is sent: Run was not called, or has ended. It is nil
	// while Run runs.
	NotRun error
}

// Limits of the fields of an Event, in bytes.
const (
	maxNote = 1000 // the server accepts 1,024
	maxWord = 128
)

// New returns a Publisher. It sends nothing.
//
// Errors: an invalid configuration.
func New(cfg Config) (*Publisher, error) {
	if cfg.Cluster == nil {
		return nil, errors.New("events: Config.Cluster is not set")
	}
	if problems := validation.IsQualifiedName(cfg.Controller); len(problems) > 0 {
		return nil, fmt.Errorf("events: Config.Controller %q is not a qualified name such as example.com/trainjobs: %s", cfg.Controller, problems[0])
	}
	if cfg.Instance == "" {
		cfg.Instance, _ = os.Hostname() // the server requires a name
	}
	cfg.Instance = cut(cmp.Or(cfg.Instance, "unknown"), maxWord)
	client, err := kube.For[eventsv1.Event](cfg.Cluster, kube.ClientConfig{})
	if err != nil {
		return nil, err
	}
	p := &Publisher{cfg: cfg, client: client, wake: make(chan struct{}, 1), book: newBook()}
	p.faults = &faultlog.Reporter{Fault: "events: Events cannot be published", Over: "events: Events are published again", Logger: p.log}
	p.idle = newIdleMonitor(cfg.Controller, p.log)
	return p, nil
}

// Normal publishes an Event about an object. reason says in one word why something happened
// ("Started"), and action what the program did ("StartJob"); both are in UpperCamelCase.
// The note is for people.
func (p *Publisher) Normal(about kube.Controllable, reason, action, note string, args ...any) {
	p.publish(corev1.EventTypeNormal, about, reason, action, note, args)
}

// Warning is Normal for something that needs attention.
func (p *Publisher) Warning(about kube.Controllable, reason, action, note string, args ...any) {
	p.publish(corev1.EventTypeWarning, about, reason, action, note, args)
}

func (p *Publisher) publish(kind string, about kube.Controllable, reason, action, note string, args []any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	ref, err := kube.ReferenceTo(about)
	if err == nil && (reason == "" || action == "" || len(reason) > maxWord || len(action) > maxWord) {
		err = fmt.Errorf("reason %.40q and action %.40q must have 1 to %d bytes", reason, action, maxWord)
	}
	if err != nil {
		p.log().Error("events: an Event is invalid", "reason", reason, "err", err)
		p.count(func(s *Stats) { s.Dropped++ })
		return
	}
	version := ref.ResourceVersion
	ref.ResourceVersion = "" // a later version of the object does not begin another series
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	ok := p.book.add(now, identity{regarding: ref, kind: kind, reason: reason, action: action}, cut(note, maxNote), func(e *eventsv1.Event) {
		e.Namespace, e.Name = cmp.Or(ref.Namespace, metav1.NamespaceDefault), nameOf(ref.Name)
		e.EventTime, e.ReportingController, e.ReportingInstance = metav1.NewMicroTime(now), p.cfg.Controller, p.cfg.Instance
		e.Action, e.Reason, e.Type, e.Regarding = action, reason, kind, ref
		e.Regarding.ResourceVersion = version
	})
	if !ok {
		p.stats.Dropped++
		return
	}
	p.idle.expectRun()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// nameOf returns a new name for an Event about an object. Names of some types have
// characters that the name of an Event must not have.
func nameOf(object string) string {
	suffix := fmt.Sprintf(".%016x", rand.Uint64())
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' {
			return c
		}
		return '-'
	}, strings.ToLower(object))
	var labels []string // each begins and ends with a letter or a digit
	for label := range strings.SplitSeq(name[:min(len(name), validation.DNS1123SubdomainMaxLength-len(suffix))], ".") {
		if label = strings.Trim(label, "-"); label != "" {
			labels = append(labels, label)
		}
	}
	return cmp.Or(strings.Join(labels, "."), "object") + suffix
}

// cut returns a text of valid UTF-8 with at most n bytes.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Stats returns the counters.
func (p *Publisher) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.NotRun = p.idle.notRun()
	for _, one := range p.book.all {
		if one.count != one.sent {
			s.Waiting++
		}
	}
	return s
}

func (p *Publisher) count(f func(*Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.stats)
}

func (p *Publisher) log() *slog.Logger {
	return userlog.Of(p.cfg.Logger)
}

// Bounds of Run.
const (
	lastSend    = 5 * time.Second
	requestTime = 10 * time.Second
	spacing     = time.Second / 20 // between requests
	retryWait   = 5 * time.Second
)

// Run sends Events until ctx is done, then what is left, and returns nil. Call it once.
func (p *Publisher) Run(ctx context.Context) error {
	p.idle.running()
	defer p.idle.ended()
	defer p.faults.Stop()
	for ctx.Err() == nil {
		if p.sendNext(ctx) {
			_ = pause.For(ctx, spacing) // the loop sees the end of ctx
			continue
		}
		p.mu.Lock()
		_, at := p.book.next(time.Now())
		p.mu.Unlock()
		wait := seriesIdle
		if !at.IsZero() {
			wait = max(time.Until(at), time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
	defer cancel()
	p.hurry()
	for last.Err() == nil && p.sendNext(last) {
	}
	return nil
}

// hurry makes all series due that wait only to be sent less often.
func (p *Publisher) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.book.all {
		if s.since.IsZero() {
			s.due = time.Time{}
		}
	}
}

// sendNext sends the next Event that is due. It returns false if no Event is due.
func (p *Publisher) sendNext(ctx context.Context) bool {
	p.mu.Lock()
	s, _ := p.book.next(time.Now())
	if s == nil {
		p.mu.Unlock()
		return false
	}
	event, exists, n, last := s.event, s.exists, s.count, metav1.NewMicroTime(s.last)
	p.mu.Unlock()
	if n > 1 {
		event.Series = &eventsv1.EventSeries{Count: n, LastObservedTime: last}
	}
	bounded, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	err := p.send(bounded, &event, exists)
	if err != nil && ctx.Err() != nil {
		return false // Run sends it once more at its end; a repeated request changes nothing
	}
	p.sent(s, exists, n, err)
	return true
}

// send creates an Event or patches its series.
func (p *Publisher) send(ctx context.Context, e *eventsv1.Event, exists bool) error {
	if !exists {
		_, err := p.client.Create(ctx, e)
		return err
	}
	patch := kube.MergePatch(map[string]any{"series": e.Series})
	_, err := p.client.Patch(ctx, kube.KeyOf(e), patch)
	return err
}

// sent processes the result of a request.
func (p *Publisher) sent(s *series, exists bool, n int32, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case err == nil, !exists && apierrors.IsAlreadyExists(err): // an earlier answer was lost
		p.book.sent(now, s, n)
		if exists {
			p.stats.Patched++
		} else {
			p.stats.Created++
		}
		p.faults.See(faultlog.State{})
		return
	case exists && apierrors.IsNotFound(err): // the server keeps Events for an hour
		s.exists, s.event.Name = false, nameOf(s.id.regarding.Name)
		return
	}
	p.stats.Failed++
	final := apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
	if final || !p.book.failed(now, s, retryWait) {
		p.stats.Dropped += uint64(s.count - s.sent)
	}
	if final {
		p.book.remove(s)
		if apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return // the namespace is gone
		}
	}
	remedy := kube.Remedy(err)
	if apierrors.IsForbidden(err) {
		remedy = "grant the verbs create and patch on events of events.k8s.io"
	}
	if failed := (*kube.RequestError)(nil); errors.As(err, &failed) {
		err = failed.Err // without the name of the Event, so that one fault is one line
	}
	p.faults.See(faultlog.State{Kind: "events", Err: err, Remedy: remedy})
}
