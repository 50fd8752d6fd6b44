package stage

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Tables are the rows of one type in a database.
type Tables struct {
	Objects   map[int64]*object
	revisions int
	moves     int
	Coverage  []Span
	Gaps      []Span
}

type object struct {
	id              int64
	namespace, Name string
	uid             string
	Presence        int
	version         int64
	state, raw      string
	Revisions       []revision // ordered by version
	moves           []move     // ordered by version, too
}

type revision struct {
	version    int64
	Gone       bool
	Source     history.Source
	state, raw string
}

type move struct {
	version                  int64
	from, to, fromRaw, toRaw string
}

// Span is a row of coverage or gaps: the versions after from, up to and including to.
type Span struct {
	recorder string
	From, To int64
	Cause    string
	Healed   bool
	lasted   time.Duration
}

func (s Span) String() string {
	text := fmt.Sprintf("(%d, %d] of %s %s %v", s.From, s.To, s.recorder, s.Cause, s.lasted.Round(time.Second))
	if s.Healed {
		text += ", healed"
	}
	return text
}

func hold(spans []Span, version int64) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.From < version && version <= s.To })
}

// presence as stored in the database.
const (
	IsThere = iota
	IsDeleted
	IsUnknown
)

// Read reads the rows of a type.
func Read(t *testing.T, d *sqldb.DB, resource string) *Tables {
	t.Helper()
	h := &Tables{Objects: map[int64]*object{}}
	once := &sql.TxOptions{Isolation: sql.LevelRepeatableRead} // a recorder may write meanwhile
	if strings.HasPrefix(d.String(), "sqlite:") {
		once = nil // SQLite always reads a snapshot
	}
	tx, err := d.SQL().BeginTx(t.Context(), once)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	of := fmt.Sprintf(" JOIN resources t ON t.id = o.resource_id WHERE t.name = '%s'", resource)
	Rows(t, tx, "SELECT o.id, o.namespace, o.name, o.uid, o.presence, o.version, o.state, o.raw_state FROM objects o"+of, func(scan func(...any) error) error {
		o := &object{}
		err := scan(&o.id, &o.namespace, &o.Name, &o.uid, &o.Presence, &o.version, &o.state, &o.raw)
		h.Objects[o.id] = o
		return err
	})
	Rows(t, tx, "SELECT r.object_id, r.version, r.deleted, r.source, r.state, r.raw_state FROM revisions r JOIN objects o ON o.id = r.object_id"+of+" ORDER BY r.version", func(scan func(...any) error) error {
		var id int64
		var gone int
		var r revision
		if err := scan(&id, &r.version, &gone, &r.Source, &r.state, &r.raw); err != nil {
			return err
		}
		r.Gone = gone == 1
		h.revisions++
		return h.with(id, func(o *object) { o.Revisions = append(o.Revisions, r) })
	})
	Rows(t, tx, "SELECT r.object_id, r.version, r.from_state, r.to_state, r.from_raw_state, r.to_raw_state FROM transitions r JOIN objects o ON o.id = r.object_id"+of+" ORDER BY r.version", func(scan func(...any) error) error {
		var id int64
		var m move
		if err := scan(&id, &m.version, &m.from, &m.to, &m.fromRaw, &m.toRaw); err != nil {
			return err
		}
		h.moves++
		return h.with(id, func(o *object) { o.moves = append(o.moves, m) })
	})
	Rows(t, tx, "SELECT o.recorder, o.from_version, o.to_version FROM coverage o"+of+" ORDER BY o.from_version, o.to_version", func(scan func(...any) error) error {
		var s Span
		err := scan(&s.recorder, &s.From, &s.To)
		h.Coverage = append(h.Coverage, s)
		return err
	})
	Rows(t, tx, "SELECT o.recorder, o.from_version, o.to_version, o.cause, o.healed_at, o.to_at - o.from_at FROM gaps o"+of+" ORDER BY o.id", func(scan func(...any) error) error {
		var s Span
		var healed, lasted int64
		err := scan(&s.recorder, &s.From, &s.To, &s.Cause, &healed, &lasted)
		s.Healed, s.lasted = healed != 0, time.Duration(lasted)*time.Microsecond
		h.Gaps = append(h.Gaps, s)
		return err
	})
	return h
}

func (h *Tables) with(id int64, f func(*object)) error {
	o := h.Objects[id]
	if o == nil {
		return fmt.Errorf("object %d is in a table, but not in objects", id)
	}
	f(o)
	return nil
}

// open returns the gaps that are not closed.
func (h *Tables) open() []Span {
	return slices.DeleteFunc(slices.Clone(h.Gaps), func(s Span) bool { return s.Healed })
}

// Reach returns the last version that a recorder has followed.
func (h *Tables) Reach(recorder string) (to int64) {
	for _, s := range h.Coverage {
		if s.recorder == recorder {
			to = max(to, s.To)
		}
	}
	return to
}

// querier is a database, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rows calls each for each row of a query.
func Rows(t *testing.T, d querier, query string, each func(scan func(...any) error) error) {
	t.Helper()
	if err := TryRows(t, d, query, each); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// TryRows is [Rows] for a query that may fail.
//
// Errors: those of the database, and of each.
func TryRows(t *testing.T, d querier, query string, each func(scan func(...any) error) error) error {
	rows, err := d.QueryContext(t.Context(), query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Consistent describes contradictions within the history.
func (h *Tables) Consistent() (problems []string) {
	uids := map[string]bool{}
	for _, o := range h.Objects {
		if uids[o.uid] {
			problems = append(problems, o.uid+" is two objects")
		}
		uids[o.uid] = true
		problems = append(problems, o.consistent()...)
	}
	return problems
}

// consistent derives the transitions from the revisions, and compares.
func (o *object) consistent() (problems []string) {
	var want []move
	var last revision
	for _, r := range o.Revisions {
		if r.version <= last.version {
			problems = append(problems, fmt.Sprintf("%s has version %d after %d", o.uid, r.version, last.version))
		}
		if last.Gone {
			problems = append(problems, fmt.Sprintf("%s was deleted at %d, and has version %d", o.uid, last.version, r.version))
		}
		if last.version == 0 || r.state != last.state || r.raw != last.raw {
			want = append(want, move{r.version, last.state, r.state, last.raw, r.raw})
		}
		last = r
	}
	if !slices.Equal(want, o.moves) {
		problems = append(problems, fmt.Sprintf("%s has the transitions\n%v\nof its revisions\n%v", o.uid, o.moves, o.Revisions))
	}
	if last.version != o.version || last.state != o.state || last.raw != o.raw || last.Gone != (o.Presence == IsDeleted) {
		problems = append(problems, fmt.Sprintf("%s is %+v, and its last revision %+v", o.uid, *o, last))
	}
	return problems
}

// compare describes differences between the history and the witness. Revisions before the
// first coverage, and in gaps without coverage, may be missing, but objects that no
// longer exist must be deleted.
func (h *Tables) compare(all []sight) (problems []string, hidden int) {
	if len(h.Coverage) == 0 {
		return []string{"there is no coverage"}, 0
	}
	first := slices.MinFunc(h.Coverage, func(a, b Span) int { return cmp.Compare(a.From, b.From) }).From
	open := h.open()
	recorded := map[string]map[int64]revision{}
	for _, o := range h.Objects {
		of := map[int64]revision{}
		for _, r := range o.Revisions {
			of[r.version] = r
		}
		recorded[o.uid] = of
	}
	gone := map[string]int64{}
	for _, s := range all {
		r, there := recorded[s.uid][s.version]
		if s.gone {
			gone[s.uid] = s.version
		}
		switch {
		case there && r.Gone && s.gone && r.Source != history.Watched: // the list has the version of the deletion itself
			delete(recorded[s.uid], s.version)
		case there && (r.Gone != s.gone || r.state != string(s.state) || r.raw != s.raw):
			problems = append(problems, fmt.Sprintf("%v was recorded as %+v", s, r))
		case there:
			delete(recorded[s.uid], s.version)
		case s.version <= first:
		case hold(h.Coverage, s.version):
			problems = append(problems, fmt.Sprintf("missing, and covered: %v", s))
		case hold(open, s.version):
			hidden++
		default:
			problems = append(problems, fmt.Sprintf("missing, and in no gap: %v", s))
		}
	}
	return append(problems, h.more(recorded, gone)...), hidden
}

// more describes recorded revisions that did not occur. recorded has the revisions
// without a counterpart at the witness: deletions that a list has shown, with the version
// of the list.
func (h *Tables) more(recorded map[string]map[int64]revision, gone map[string]int64) (problems []string) {
	for uid, of := range recorded {
		for version, r := range of {
			if !r.Gone || r.Source == history.Watched || gone[uid] == 0 || gone[uid] > version || !hold(h.Gaps, version) {
				problems = append(problems, fmt.Sprintf("not at the witness: %s at %d, %+v; it was deleted at %d", uid, version, r, gone[uid]))
			}
		}
	}
	for _, o := range h.Objects {
		if (o.Presence == IsDeleted) != (gone[o.uid] != 0) {
			problems = append(problems, fmt.Sprintf("%s %s/%s has presence %d, and was deleted at version %d", o.uid, o.namespace, o.Name, o.Presence, gone[o.uid]))
		}
	}
	return problems
}

// remembered is how long an API server keeps its history, less some time for a busy
// machine.
const remembered = time.Minute

// intervals describes defects of coverage and gaps: versions with neither, and gaps that
// neither a restart of the API server nor another fault explains.
func (h *Tables) intervals(restarts []Span) (problems []string) {
	all := slices.Concat(h.Coverage, h.Gaps)
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	to := all[0].To
	for _, s := range all {
		if s.From > to {
			problems = append(problems, fmt.Sprintf("(%d, %d] is neither covered nor a gap: %v", to, s.From, all))
		}
		to = max(to, s.To)
	}
	for _, g := range h.Gaps {
		within := func(r Span) bool { return g.From <= r.To && g.To >= r.From && (r.Cause == "" || r.Cause == g.Cause) }
		if !slices.ContainsFunc(restarts, within) && (g.Cause != history.CauseWindow || g.lasted < remembered) {
			problems = append(problems, fmt.Sprintf("an unexplained gap: %v; the API server was restarted at %v", g, restarts))
		}
		if g.From >= g.To {
			problems = append(problems, fmt.Sprintf("an empty gap: %v", g))
		}
	}
	return problems
}

// wide describes gaps that are too wide: they contain revisions that a watch of the same
// recorder has shown. This applies only to a single recorder.
func (h *Tables) wide() (problems []string) {
	for _, g := range h.open() {
		for _, o := range h.Objects {
			for _, r := range o.Revisions {
				if r.Source == history.Watched && g.From < r.version && r.version <= g.To {
					problems = append(problems, fmt.Sprintf("%s was watched at %d, within the gap %v", o.uid, r.version, g))
				}
			}
		}
	}
	return problems
}
