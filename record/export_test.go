package record

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// Seen is a sighting, for tests.
type Seen struct {
	UID     string
	Version wire.Version
	State   state.State
	Body    string
	Ago     int // seconds since it came to the state, as the object says; 0: it does not
	Raw     string
	Missed  bool // its deletion was concluded from a list
}

// Happened is when an object came to its state, which says at.
func Happened(at, seen, created, since time.Time) time.Time {
	s := sighting{seen: seen, created: created, status: state.Status{At: at}}
	return moment(s.happened(micros(since))).UTC()
}

// Packer is what a recorder keeps of bodies.
type Packer struct{ p *packer }

// NewPacker returns one that keeps so many bytes at most.
func NewPacker(limit int) Packer { return Packer{newPacker(limit)} }

// Held returns of how many objects it has a body, and what they take.
func (p Packer) Held() (objects, bytes int) { return len(p.p.wholes.of), p.p.wholes.size }

// Write writes sightings in one transaction, as a recorder does.
func (d *Database) Write(ctx context.Context, all []Seen) (Result, error) {
	return d.WriteWith(ctx, NewPacker(1<<20), all)
}

// WriteWith does so with what batches before have left.
func (d *Database) WriteWith(ctx context.Context, p Packer, all []Seen) (Result, error) {
	var sightings []sighting
	for _, s := range all {
		one := sighting{
			uid: s.UID, namespace: "ml", name: "job-" + s.UID, version: s.Version, gone: s.State == state.Deleted, source: Watched,
			seen: time.Unix(1_700_000_000+int64(s.Version), 0), status: state.Status{State: s.State, Message: fmt.Sprint("at ", s.Version)}, body: []byte(s.Body),
		}
		one.status.Raw = s.Raw
		if s.Missed {
			one.source, one.body, one.status.Message = Relisted, nil, ""
		}
		if s.Ago > 0 {
			one.status.At = one.seen.Add(-time.Duration(s.Ago) * time.Second)
		}
		sightings = append(sightings, one)
	}
	b := &batch{}
	err := d.within(ctx, func(tx *sql.Tx) error {
		b = &batch{d: d, tx: tx, cluster: 1, resource: 1, packer: p.p, wholes: map[int64]whole{}, plain: map[int64][]byte{}}
		return b.write(ctx, sightings)
	})
	if err == nil {
		p.p.keep(b)
	}
	return b.Result, err
}

// Body reads a body by the hash of a revision.
func (d *Database) Body(ctx context.Context, uid string, version wire.Version) (body []byte, err error) {
	err = d.within(ctx, func(tx *sql.Tx) error {
		var object int64
		row := tx.QueryRowContext(ctx, d.Rebind("SELECT r.object_id FROM revisions r JOIN objects o ON o.id = r.object_id WHERE o.uid = ? AND r.version = ?"), uid, int64(version))
		if err := row.Scan(&object); err != nil {
			return err
		}
		body, err = d.body(ctx, tx, object, int64(version))
		return err
	})
	return body, err
}

// Look returns what a recorder sees in a delta.
func Look(r kube.Resource, redact []string, d delta.Delta) (body string, status state.Status, labels map[string]string, err error) {
	var all []fieldPath
	for _, text := range redact {
		all = append(all, strings.Split(text, "."))
	}
	l := newLens(r, nil, all)
	s, err := l.look(&d, Watched)
	return string(s.body), s.status, s.labels, err
}

// LookWith is Look with a function for the state.
func LookWith(r kube.Resource, of func(map[string]any) state.Status, d delta.Delta) (body string, status state.Status, labels map[string]string, err error) {
	l := newLens(r, of, nil)
	s, err := l.look(&d, Watched)
	return string(s.body), s.status, s.labels, err
}

// FieldNames is what a path of Config.Redact is read as, for tests.
func FieldNames(text string) ([]string, error) { return parseFieldPath(text) }

// Followed returns what a recorder remembers of n objects, which do makes.
func Followed(n int, do func(i int) delta.Delta) (any, error) {
	c := &collection{objects: map[wire.Key]known{}, lens: newLens(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, nil, nil)}
	for i := range n {
		p, err := c.prepare(context.Background(), []item{{Delta: do(i)}})
		if err != nil {
			return nil, err
		}
		c.remember(p, coverage{}, time.Now())
	}
	return c, nil
}

// Term returns the number of something that objects are looked for by.
func Term(kind, name, value string) int64 { return int64(termOf(kind, name, value)) }

// HourOf returns the hour of a mark.
func HourOf(micros int64) int64 { return hourOf(micros) }

// Sight is a sighting with all that is looked for.
type Sight struct {
	Cluster, Resource       int64
	Namespace, Name, UID    string
	Version                 wire.Version
	State                   state.State
	Seen                    time.Time
	Owner, Queue, Submitter string // the owner: its name; a Job
	Labels                  map[string]string
}

// WriteSights writes sightings, each as a batch of its own, in one transaction.
func (d *Database) WriteSights(ctx context.Context, all []Sight) error {
	return d.within(ctx, func(tx *sql.Tx) error {
		for _, s := range all {
			b := batch{d: d, tx: tx, cluster: s.Cluster, resource: s.Resource, packer: newPacker(1 << 20), wholes: map[int64]whole{}, plain: map[int64][]byte{}}
			if err := b.write(ctx, []sighting{s.sighting()}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Sight) sighting() sighting {
	one := sighting{
		uid: s.UID, namespace: s.Namespace, name: s.Name, version: s.Version, gone: s.State == state.Deleted, source: Watched, seen: s.Seen,
		status: state.Status{State: s.State}, body: []byte("{}"), queue: s.Queue, submitter: s.Submitter, labels: s.Labels,
	}
	if s.Owner != "" {
		one.owner = owner{"uid-" + s.Owner, "Job", s.Owner}
	}
	if one.gone && s.Version%2 == 0 {
		one.body = nil // it was missed
	}
	return one
}

// Narrow makes requests do less, so that few rows are many. It returns what undoes
// that.
func Narrow(rows, marks int) (undo func()) {
	r, m := mostRows, mostMarks
	mostRows, mostMarks = rows, marks
	return func() { mostRows, mostMarks = r, m }
}

// Unmark deletes the marks of an object.
func (d *Database) Unmark(ctx context.Context, id int64) error {
	return d.within(ctx, func(tx *sql.Tx) error { return d.unmark(ctx, tx, id, nil) })
}
