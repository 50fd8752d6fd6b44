package record

import (
	"fmt"
	"maps"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// Source says how a revision was learned of.
type Source uint8

const (
	// Watched: by an event of a watch.
	Watched Source = iota + 1
	// Listed: by the first list of a collection.
	Listed
	// Relisted: by a list after a gap; what was between is not known.
	Relisted
	// Inferred: from something else; its time is that of the conclusion.
	Inferred
)

var sources = [...]string{"", "watch", "list", "relist", "inferred"}

// String returns the name of the source.
func (s Source) String() string {
	if int(s) < len(sources) {
		return sources[s]
	}
	return "unknown"
}

// sighting is one revision on its way to the database.
type sighting struct {
	uid, namespace, name string
	version              wire.Version
	gone                 bool // the object was deleted with this revision, or before it
	source               Source
	seen, created        time.Time
	status               state.Status
	body                 []byte // nil of a deletion that was missed
	owner                owner
	queue, submitter     string
	labels               map[string]string
	flaw                 error // why the state is unknown: an undecodable body, or a panic
}

// happened is when the object came to its state, in microseconds: the time that it
// gives itself, unless that can not be. It can not be after it was seen, nor before
// the object was made, nor before it came to the state before it: then it is the
// time of something else. Where it was seen within the second that the object names,
// that is more precise. since is when the object came to the state before, or 0.
func (s *sighting) happened(since int64) int64 {
	at, seen := s.status.At, micros(s.seen)
	told := micros(at)
	switch {
	case at.IsZero(), told > seen, at.Before(s.created):
		return max(seen, since)
	case told/second == seen/second:
		return max(seen, since)
	case told >= since:
		return told
	case told/second == since/second: // it has whole seconds
		return since
	}
	return max(seen, since)
}

// second is a second in microseconds.
const second = 1_000_000

// owner is who controls an object.
type owner struct{ uid, kind, name string }

// Labels and annotations that say where a job waits and who submitted it; the first
// that is there counts.
var (
	queueLabels     = []string{"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}
	submitterLabels = []string{"vedette.io/user", "app.kubernetes.io/created-by", "user"}
)

// look converts a delta to a sighting. If the body cannot be decoded, the sighting has
// the body but no state.
//
// Errors: the fields that must not be stored could not be cut out of the body, so
// nothing of it is stored.
func (l *lens) look(d *delta.Delta, source Source) (sighting, error) {
	rec := &d.Record
	s := sighting{uid: rec.UID, namespace: rec.Namespace, name: rec.Name, version: rec.Version, gone: d.Kind == delta.Delete, source: source, seen: d.Seen}
	var err error
	if s.body, err = l.body(rec); err != nil {
		return s, fmt.Errorf("%s at version %v: %w", rec.Key, rec.Version, err)
	}
	obj, err := l.decode(rec, s.body)
	if err != nil {
		s.flaw = err
		s.status.Message = err.Error()
		if s.gone {
			s.status.State = state.Deleted
		}
		s.labels = maps.Collect(wire.Record{Encoding: wire.JSON, Body: s.body}.Labels())
		return s, nil
	}
	if s.status, s.flaw = l.status(obj.Object); s.flaw != nil {
		s.status.Message = s.flaw.Error()
	}
	if s.gone {
		s.status = state.Status{State: state.Deleted, Raw: s.status.Raw, Reason: s.status.Reason, Message: s.status.Message}
	}
	s.created, s.labels = obj.GetCreationTimestamp().Time, obj.GetLabels()
	for _, ref := range obj.GetOwnerReferences() {
		if ref.Controller != nil && *ref.Controller {
			s.owner = owner{string(ref.UID), ref.Kind, ref.Name}
		}
	}
	s.queue, s.submitter = first(s.labels, queueLabels), first(s.labels, submitterLabels)
	if s.submitter == "" {
		s.submitter = short(first(obj.GetAnnotations(), submitterLabels), 250)
	}
	return s, nil
}

// status returns the state of an object.
//
// Errors: the state function panicked.
func (l *lens) status(object map[string]any) (s state.Status, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the function that finds the state panicked: %v\n%s", v, debug.Stack())
		}
	}()
	return l.of(object), nil
}

func first(of map[string]string, names []string) string {
	for _, name := range names {
		if v := of[name]; v != "" {
			return v
		}
	}
	return ""
}

// micros is a time as the database has it; 0 is none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// longestMessage is how much of a message is kept in columns; all of it is in the
// body.
const longestMessage = 4 << 10

// short cuts a text, and what a column of text does not take: PostgreSQL has no NUL.
func short(text string, most int) string {
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	}
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 { // not within a character
		most--
	}
	return text[:most]
}
