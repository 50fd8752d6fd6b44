package source

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Reader reads the history that commands print, from a database or through a portal.
type Reader interface {
	Types(ctx context.Context) ([]history.Type, error)
	Objects(ctx context.Context, n history.ObjectName, p history.Paging) (history.Page[history.Object], error)
	Transitions(ctx context.Context, object int64, p history.Paging) (history.Page[history.Transition], error)
	Revisions(ctx context.Context, object int64, p history.Paging) (history.Page[history.Revision], error)
	Body(ctx context.Context, object int64, version wire.Version) ([]byte, wire.Version, error)
	Job(ctx context.Context, object int64, now time.Time) (history.Job, error)
	// Attempts returns the chain of attempts that a job belongs to.
	Attempts(ctx context.Context, job history.Object) ([]history.Attempt, error)
	ListTransitions(ctx context.Context, f history.Filter, p history.Paging) (history.Page[history.Change], error)
	ListJobs(ctx context.Context, f history.Filter, p history.Paging, now time.Time) (history.JobPage, error)
	ListGaps(ctx context.Context, f history.GapFilter, p history.Paging) (history.Page[history.Gap], error)
	Unrecorded(ctx context.Context) ([]history.Unrecorded, error)
	Stats(ctx context.Context, f history.Filter, now time.Time, progress func(int)) ([]history.TypeStats, error)
}

// databaseHistory is the history in a database.
type databaseHistory struct{ *history.History }

// Attempts returns the chain of attempts that a job belongs to.
func (h databaseHistory) Attempts(ctx context.Context, job history.Object) ([]history.Attempt, error) {
	return h.Chain(ctx, job.ClusterUID, job.Type, job.UID)
}

// History is a history that a command has opened.
type History struct {
	Reader
	CloseFunc func() // frees the source
}

// Close ends the use of the history.
func (h *History) Close() { h.CloseFunc() }

// TransitionsOf returns all transitions of an object, the oldest first.
func (h *History) TransitionsOf(ctx context.Context, object int64) iter.Seq2[history.Transition, error] {
	return history.All(ctx, history.Paging{Order: history.OldestFirst, Limit: 500}, func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
		return h.Transitions(ctx, object, p)
	})
}

// RevisionsOf returns all revisions of an object, the newest first.
func (h *History) RevisionsOf(ctx context.Context, object int64) iter.Seq2[history.Revision, error] {
	return history.All(ctx, history.Paging{}, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
		return h.Revisions(ctx, object, p)
	})
}

// OpenHistory opens a database to read its history.
func OpenHistory(ctx context.Context, url string) (*History, error) {
	db, err := settings.OpenWith(ctx, url, sqldb.Read)
	if err != nil {
		return nil, err
	}
	return HistoryIn(db), nil
}

// HistoryIn returns the history in a database, which Close closes.
func HistoryIn(db *sqldb.DB) *History {
	return &History{databaseHistory{history.New(db)}, func() { _ = db.Close() }} // nothing was written
}

// RevisionAt is one revision of one object.
type RevisionAt struct {
	history.Object
	history.Revision
}

// RevisionAt returns the revision at a version or at a time. An empty text is the last one.
// objects must be sorted, the newest first.
func (h *History) RevisionAt(ctx context.Context, objects []history.Object, text string, now time.Time) (found RevisionAt, err error) {
	version, numeric := wire.Version(0), false
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		version, numeric = wire.Version(v), true
	}
	var when time.Time
	if !numeric {
		if when, err = units.ParseTime(text, now); err != nil {
			return found, fmt.Errorf("%q is not a revision; use a version, which `vedette history -o wide` shows, or a time (%w)", text, err)
		}
	}
	for _, obj := range objects {
		for r, err := range h.RevisionsOf(ctx, obj.ID) {
			switch {
			case err != nil:
				return found, err
			case numeric && r.Version != version, !numeric && !when.IsZero() && r.Seen.After(when):
				continue
			}
			return RevisionAt{obj, r}, nil
		}
	}
	obj := objects[0]
	if numeric {
		return found, fmt.Errorf("%s %s has no revision %s; `vedette history %[1]s/%[4]s -o wide` shows versions", obj.Type, obj.Namespace+"/"+obj.Name, text, obj.Name)
	}
	return found, fmt.Errorf("%s %s/%s was not seen before %s", obj.Type, obj.Namespace, obj.Name, when.Format(time.RFC3339))
}

// Previous returns the revision of the same object before another one.
func (h *History) Previous(ctx context.Context, r RevisionAt) (RevisionAt, error) {
	for b, err := range h.RevisionsOf(ctx, r.ID) {
		if err != nil {
			return r, err
		}
		if b.Version < r.Revision.Version {
			return RevisionAt{r.Object, b}, nil
		}
	}
	return r, fmt.Errorf("%s %s/%s has no revision before %v", r.Type, r.Namespace, r.Name, r.Revision.Version)
}
