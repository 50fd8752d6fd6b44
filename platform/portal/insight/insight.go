package insight

import (
	"cmp"
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config has the data sources of an Insight.
type Config struct {
	// DB is the database of a recorder. The caller closes it.
	DB *sqldb.DB
	// Index has the jobs of the database.
	Index *jobindex.Index
	// Now returns the current time; default time.Now.
	Now func() time.Time
}

// Insight answers questions about jobs. Any goroutine may use it.
type Insight struct {
	parts parts
	lines *lineBook
}

// New returns an Insight.
func New(c Config) *Insight {
	now := c.Now
	if now == nil {
		now = time.Now
	}
	s := source{history.New(c.DB)}
	kueue := newKueueReader(s, now)
	return &Insight{
		parts{
			index: c.Index, source: s, kueue: kueue, samples: newSampler(c.Index, now),
			logs: joblog.New(c.DB, joblog.Limits{}, nil), now: now,
		},
		newLineBook(kueue.world, now),
	}
}

// Run refreshes the lines that Places was called for within the last minute, until ctx ends.
// Without Run, Places itself reads lines that are older than ten seconds.
func (i *Insight) Run(ctx context.Context) { i.lines.run(ctx) }

// Places returns the places in line of waiting jobs, from 1, by the IDs of the rows. A place counts
// all jobs of the line, as in Waiting. Jobs with an unknown place are missing.
//
// Errors: those of the database, and of ctx. After an error, the result lacks some
// places.
func (i *Insight) Places(ctx context.Context, rows []jobindex.Row) (map[int64]int, error) {
	return i.lines.places(ctx, rows)
}

// KeptPlaces returns only the cached places, without reading.
func (i *Insight) KeptPlaces(rows []jobindex.Row) map[int64]int { return i.lines.kept(rows) }

// Waiting explains why a job waits: its quota, its place in line, why no node fits, how long
// similar jobs waited, and its likely start. For a job that does not wait, it returns only how long
// similar jobs waited. The caller checks that the person may see the row.
//
// Errors: those of the database and of the index.
func (i *Insight) Waiting(ctx context.Context, job *jobindex.Row, v Viewer) (*api.Waiting, error) {
	w := &waiting{parts: &i.parts, job: job, viewer: &v, s: words.Of(v.Language), at: i.at(&v)}
	if err := w.write(ctx); err != nil {
		return nil, err
	}
	return &w.answer, nil
}

// at returns the instant of an answer.
func (i *Insight) at(v *Viewer) time.Time { return cmp.Or(v.At, i.parts.now()) }

// Failure explains why a job failed, from its pods, its transition and its kept logs. The caller
// checks that the person may see the row.
//
// Errors: those of the database and of the index.
func (i *Insight) Failure(ctx context.Context, job *jobindex.Row, v Viewer) (*api.Failure, error) {
	f := &failing{parts: &i.parts, job: job, viewer: &v, s: words.Of(v.Language), at: i.at(&v)}
	if err := f.write(ctx); err != nil {
		return nil, err
	}
	return &f.answer, nil
}

// Forecast predicts the place in line and the start of a job that is not submitted yet. Unknown
// facts are missing.
//
// Errors: those of the database and of the index.
func (i *Insight) Forecast(ctx context.Context, job Planned, v Viewer) (*api.Forecast, error) {
	return i.parts.forecastOf(ctx, &job, &v, words.Of(v.Language))
}
