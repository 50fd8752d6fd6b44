package joblog_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/logs/joblog"
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

// database is a database with the schema.
type database struct {
	*sqldb.DB
	url string
}

func open(t testing.TB, url string) *database {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &database{db, url}
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, open(t, url)) })
}

// start is the time at the beginning of tests.
var start = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// of returns the log of a container.
func of(pod string, restart int) joblog.Log {
	return joblog.Log{
		ClusterUID: "cluster", Namespace: "ml", Pod: pod, PodUID: "uid-" + pod, Container: "main", Restart: restart,
		OwnerUID: "uid-rs", OwnerKind: "ReplicaSet", OwnerName: "rs", JobUID: "uid-job", JobKind: "Job", JobName: "train",
		Node: "node-1", Started: start,
	}
}

// ended returns a log whose container has ended.
func ended(l joblog.Log, after time.Duration, code int) joblog.Log {
	l.Ended, l.ExitCode, l.Complete = start.Add(after), code, true
	return l
}

// numbered returns lines with consecutive numbers, one per second.
func numbered(from, to int) (lines []joblog.Line) {
	for i := from; i < to; i++ {
		lines = append(lines, joblog.Line{Time: start.Add(time.Duration(i) * time.Second), Text: fmt.Sprint("line ", i)})
	}
	return lines
}

// store is a store of a test.
type store struct {
	*joblog.Store
	d *database
}

// put puts a log, and must succeed.
func (s *store) put(t *testing.T, l joblog.Log, lines []joblog.Line) {
	t.Helper()
	if err := s.Put(t.Context(), l, lines); err != nil {
		t.Fatal(err)
	}
}

// only returns the only log of a pod, and its lines.
func (s *store) only(t *testing.T, pod string) (joblog.Log, []joblog.Line) {
	t.Helper()
	all, err := s.Of(t.Context(), joblog.Selection{UIDs: []string{"uid-" + pod}})
	if err != nil || len(all) != 1 {
		t.Fatalf("logs of %s: got %+v and error %v, want one", pod, all, err)
	}
	return all[0], s.lines(t, all[0])
}

// lines returns the lines of a log.
func (s *store) lines(t *testing.T, l joblog.Log) (lines []joblog.Line) {
	t.Helper()
	for line, err := range s.Lines(t.Context(), l) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// newStore returns a store with a clock that the test moves.
func newStore(d *database, limits joblog.Limits) (*store, *time.Time) {
	now := start
	return &store{Store: joblog.NewAt(d.DB, limits, nil, func() time.Time { return now }, 64<<10, 4096), d: d}, &now
}

// same reports whether lines are the same.
func same(a, b []joblog.Line) bool {
	return slices.EqualFunc(a, b, func(x, y joblog.Line) bool { return x.Text == y.Text && x.Time.Equal(y.Time) })
}

// words returns the texts of lines.
func words(lines []joblog.Line) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "|")
}
