package lives_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// asked is a recorded life, and what readers need.
type asked struct {
	*testing.T
	*life
	db      *sqldb.DB
	history *history.History
	index   *jobindex.Index
	object  history.Object
	row     jobindex.Row
}

// TestReaders: all readers show the same numbers of each life, or none.
func TestReaders(t *testing.T) {
	readers := []struct {
		name string
		of   func(*asked) *answer // nil: it shows nothing
	}{
		{"package job", (*asked).job},
		{"list of the database", (*asked).list},
		{"chain of retries", (*asked).chain},
		{"job index", (*asked).indexed},
		{"page", (*asked).page},
		{"message", (*asked).message},
		{"statistics of the portal", (*asked).statistics},
		{"statistics of the command line", (*asked).typeStats},
		{"statistics of queues", (*asked).queueStats},
		{"explanation", (*asked).explanation},
		{"trace", (*asked).trace},
	}
	for _, l := range slices.Concat(batchLives, operatorLives, observedLives) {
		t.Run(l.name, func(t *testing.T) {
			if l.source == "" {
				t.Error("the life has no source")
			}
			a := ask(t, &l)
			for _, r := range readers {
				if got := r.of(a); got != nil {
					if text := l.want.differs(got); text != "" {
						t.Errorf("%s: %s", r.name, text)
					}
				}
			}
			a.past()
		})
	}
}

// ask records a life, and reads it into an index.
func ask(t *testing.T, l *life) *asked {
	t.Helper()
	db, err := sqldb.Open(t.Context(), dbtest.Empty(t, "sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.record(t, db)
	a := &asked{T: t, life: l, db: db, history: history.New(db), index: jobindex.New(jobindex.Config{DB: db, Logger: slog.New(slog.DiscardHandler)})}
	stop := a.run(a.index.Run)
	<-a.index.Ready()
	stop()
	objects, err := a.history.ObjectsByID(t.Context(), []int64{1})
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects, error %v", len(objects), err)
	}
	a.object = objects[0]
	a.row = a.rowAt(now)
	return a
}

// run runs a function until stop is called.
func (a *asked) run(f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(a.Context())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil && ctx.Err() == nil {
			a.Error(err)
		}
	}
}

// must fails the test with an error of a reader.
func (a *asked) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// rowAt returns the row of the index as of a second.
func (a *asked) rowAt(at int) (row jobindex.Row) {
	a.Helper()
	a.must(a.index.View(func(v *jobindex.View) error {
		var found bool
		if row, found = v.Job("", uid, second(at)); !found {
			a.Fatalf("the job is not in the index at %d", at)
		}
		return nil
	}))
	return row
}

// transitions returns what is recorded.
func (a *asked) transitions() (all []job.Transition) {
	a.Helper()
	a.must(model.EachTransition(a.Context(), a.db, []int64{1}, func(_ int64, t job.Transition) { all = append(all, t) }))
	return all
}

// job asks package job. The object itself may count more attempts.
func (a *asked) job() *answer {
	all := a.transitions()
	l := job.LifeOf(created, all, second(now))
	return &answer{
		state: string(cmp.Or(l.Outcome, all[len(all)-1].To)), waited: seconds(l.Waited), first: seconds(l.FirstWait), ran: seconds(l.Ran),
		started: when(l.Started), ended: when(l.Ended), all: attemptsOf(l.Spans),
	}
}

// list asks for the row of the list of jobs.
func (a *asked) list() *answer {
	page, err := a.history.ListJobs(a.Context(), history.Filter{}, history.Paging{}, second(now))
	a.must(err)
	if len(page.Items) != 1 {
		a.Fatalf("%d jobs", len(page.Items))
	}
	j := &page.Items[0]
	one, err := a.history.Job(a.Context(), a.object.ID, second(now))
	a.must(err)
	if one.Tries != j.Tries || one.RanSeconds != j.RanSeconds || one.WaitedSeconds != j.WaitedSeconds || one.State != j.State || !one.Ended.Equal(j.Ended) {
		a.Errorf("the list has %+v, and the job %+v", j, one)
	}
	number := func(f float64) string { return strconv.Itoa(int(f)) }
	return &answer{state: j.State, waited: number(j.WaitedSeconds), ran: number(j.RanSeconds), attempts: strconv.Itoa(j.Tries), ended: when(j.Ended), all: attemptsOf(j.Life)}
}

// chain asks for the chain of retries, which has the job alone. Its open runs last until now.
func (a *asked) chain() *answer {
	all, err := a.history.Chain(a.Context(), clusterUID, a.object.Type, uid)
	a.must(err)
	got := &answer{state: string(all[0].State)}
	if all[0].State != job.Running {
		got.ran = seconds(all[0].Ran)
	}
	return got
}

// indexed asks the job index.
func (a *asked) indexed() *answer {
	r := &a.row
	return &answer{
		state: string(r.State), waited: seconds(r.Waited), first: seconds(r.FirstWait), ran: seconds(r.Ran), attempts: strconv.Itoa(r.Tries),
		started: when(r.Started), ended: when(r.Ended), all: attemptsOf(r.Life),
	}
}

// page asks for the attempts on the page of the job. A job without an attempt has one without times.
func (a *asked) page() *answer {
	chain, err := a.history.Chain(a.Context(), clusterUID, a.object.Type, uid)
	a.must(err)
	lives, err := a.history.Lives(a.Context(), []history.Object{a.object}, second(now))
	a.must(err)
	list := jobview.Attempts([]jobview.Member{{Attempt: chain[0], Life: lives[a.object.ID]}})
	var all []string
	for i := range list.Attempts {
		if n := &list.Attempts[i]; !n.Began.IsZero() {
			all = append(all, attemptText(n.Began, n.Ended, strconv.Itoa(int(n.Ran))))
		}
	}
	return &answer{state: list.Attempts[len(list.Attempts)-1].State, all: attemptList(all)}
}

// kinds are the messages about outcomes.
var kinds = map[string]message.Kind{"Succeeded": message.Succeeded, "Failed": message.Failed, "Aborted": message.Aborted, "Deleted": message.Deleted, "Restarting": message.Restarted}

// message asks for the facts of the message about the outcome, or of a timer now.
func (a *asked) message() *answer {
	all, err := a.history.Transitions(a.Context(), a.object.ID, history.Paging{})
	a.must(err)
	last := all.Items[0]
	if job.State(last.To) == job.Deleted && job.State(last.From).Final() {
		last = all.Items[1]
	}
	n := message.Notice{Kind: cmp.Or(kinds[last.To], message.RunningLong), Version: uint64(last.Version), From: job.State(last.From), To: job.State(last.To), Happened: second(now)}
	if job.State(last.To).Final() {
		n.Happened = last.Happened
	}
	a.must(facts.New(a.db).Fill(a.Context(), &n, feed.Object{
		ID: a.object.ID, Cluster: "a", ClusterUID: clusterUID, Type: a.object.Type, Namespace: namespace, Name: name, UID: uid, Created: a.object.Created,
	}))
	got := &answer{}
	if n.Waited != nil {
		got.waited = seconds(*n.Waited)
	}
	if n.Ran != nil {
		got.ran = seconds(*n.Ran)
	}
	if n.Attempt > 0 {
		got.attempts = strconv.Itoa(n.Attempt)
	}
	if n.Life != nil {
		var spans []job.Span
		for _, s := range n.Life {
			spans = append(spans, job.Span{State: s.State, From: s.From, To: s.To, Gap: s.Gap, Attempt: s.Attempt})
		}
		got.all = attemptsOf(spans)
	}
	return got
}

// statistics asks for the statistics of the portal: each number is the sum over one job.
func (a *asked) statistics() *answer {
	r := stats.New(stats.Config{DB: a.db, Index: a.index, Now: func() time.Time { return second(now) }})
	s, err := r.Stats(a.Context(), jobindex.Query{At: second(now)}, stats.Window{From: second(0), To: second(now)}, stats.Window{})
	a.must(err)
	got := &answer{}
	if s.Now.Waited.Count > 0 {
		got.first = strconv.Itoa(int(s.Now.Waited.Max))
	}
	if s.Now.Ran.Count > 0 {
		got.ran = strconv.Itoa(int(s.Now.Ran.Max))
	}
	for state := range s.Now.Outcomes {
		got.state = state
	}
	if g := s.Now.GPUHours; a.row.GPUs == 1 {
		got.ran, got.waited = strconv.Itoa(int(g.Ran*3600+0.5)), strconv.Itoa(int(g.Waited*3600+0.5))
	}
	return got
}

// typeStats asks for the statistics of the command line.
func (a *asked) typeStats() *answer {
	all, err := a.history.Stats(a.Context(), history.Filter{}, second(now), nil)
	a.must(err)
	got := &answer{first: seconds(all[0].Waiting.Max), ran: seconds(all[0].Running.Max), waited: seconds(all[0].InState["Submitted"] + all[0].InState["Queued"])}
	if all[0].Waiting.Count == 0 {
		got.first = ""
	}
	for state := range all[0].Outcomes {
		got.state = state
	}
	return got
}

// queueStats asks for the statistics of queues, which forecasts in messages use.
func (a *asked) queueStats() *answer {
	all, err := a.history.QueueStats(a.Context(), history.Filter{}, second(now))
	a.must(err)
	got := &answer{}
	for _, q := range all {
		if q.Waiting.Count > 0 {
			got.first = seconds(q.Waiting.Max)
		}
		if q.Running.Count > 0 {
			got.ran = seconds(q.Running.Max)
		}
	}
	return got
}

// explanation asks why the job failed.
func (a *asked) explanation() *answer {
	if a.row.State != job.Failed && a.row.State != job.Restarting {
		return nil
	}
	x := insight.New(insight.Config{DB: a.db, Index: a.index, Now: func() time.Time { return second(now) }})
	f, err := x.Failure(a.Context(), &a.row, insight.Viewer{Language: "en"})
	a.must(err)
	return &answer{attempts: strconv.Itoa(f.Attempts)}
}

// past asks the index and the page about each second with a write: both show the same.
func (a *asked) past() {
	for i := range a.writes {
		at := a.writes[i].at
		row := a.rowAt(at)
		lives, err := a.history.LivesAt(a.Context(), []history.Object{a.object}, second(at))
		a.must(err)
		l := lives[a.object.ID]
		if row.Waited != l.Waited || row.Ran != l.Ran || !row.Ended.Equal(l.Ended) || !row.Started.Equal(l.Started) || row.FirstWait != l.FirstWait || row.Since.Before(a.object.Since) && row.Tries != l.Attempts {
			a.Errorf("at %d the index has waited %v, ran %v, ended %v, attempts %d; and the page %+v", at, row.Waited, row.Ran, row.Ended, row.Tries, l)
		}
	}
}
