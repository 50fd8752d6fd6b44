package joblog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// TestPruneAgainstModel: logs are created, end and grow at random times, and are removed
// by age and with their jobs. The remaining logs and lines equal the naive model.
func TestPruneAgainstModel(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		modeltest.Check(t, func(rt *rapid.T) {
			clear(t, d)
			s, now := newStore(d, joblog.Limits{})
			model, fetched, lines := map[string]string{}, map[string]time.Time{}, map[string]int{} // the job, the time and the lines, by pod
			for range rapid.IntRange(1, 15).Draw(rt, "steps") {
				*now = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(rt, "hours")) * time.Hour)
				switch rapid.SampledFrom([]string{"put", "put", "put", "prune", "remove"}).Draw(rt, "what") {
				case "put":
					pod, n := fmt.Sprint(rapid.IntRange(0, 6).Draw(rt, "pod")), rapid.IntRange(0, 5).Draw(rt, "lines")
					l := of(pod, 0)
					l.JobUID = "job-" + pod[:1]
					if rapid.Bool().Draw(rt, "ended") {
						l = ended(l, time.Minute, 0)
					}
					s.put(t, l, numbered(0, n))
					if _, found := model[pod]; !found || n > lines[pod] {
						fetched[pod] = *now
					}
					model[pod], lines[pod] = l.JobUID, max(lines[pod], n)
				case "prune":
					before := now.Add(-time.Duration(rapid.IntRange(0, 5).Draw(rt, "age")) * time.Hour)
					expired, err := joblog.Expired(t.Context(), d.DB, before)
					if err != nil {
						rt.Fatal(err)
					}
					r, err := joblog.Prune(t.Context(), d.DB, before, nil)
					if err != nil || r != expired {
						rt.Fatalf("%+v, expected %+v, %v", r, expired, err)
					}
					for pod := range model {
						if fetched[pod].Before(before) {
							delete(model, pod)
							delete(lines, pod)
						}
					}
				case "remove":
					job := fmt.Sprint("job-", rapid.IntRange(0, 6).Draw(rt, "job"))
					err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
						_, err := joblog.RemoveOf(t.Context(), tx, joblog.Selection{ClusterUID: "cluster", UIDs: []string{job, "uid-9"}})
						return err
					})
					if err != nil {
						rt.Fatal(err)
					}
					for pod := range model {
						if model[pod] == job {
							delete(model, pod)
							delete(lines, pod)
						}
					}
				}
				s.checkModel(rt, lines)
			}
		})
	})
}

// checkModel checks which pods have logs, and how many lines, also in the chunks.
func (s *store) checkModel(t *rapid.T, lines map[string]int) {
	var got, want []string
	logs, err := s.Of(t.Context(), joblog.Selection{UIDs: []string{"uid-rs"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range logs {
		got = append(got, fmt.Sprint(l.Pod, " ", l.Lines))
	}
	total := 0
	for pod, n := range lines {
		want = append(want, fmt.Sprint(pod, " ", n))
		total += n
	}
	slices.Sort(got)
	slices.Sort(want)
	var stored int
	row := s.d.QueryRow(t.Context(), "SELECT COALESCE(SUM(line_count), 0) FROM kept_log_chunks")
	if err := row.Scan(&stored); err != nil || stored != total || !slices.Equal(got, want) {
		t.Fatalf("%d lines: %q\nwant %d: %q, %v", stored, got, total, want, err)
	}
}

// TestPruneStops: an error between two steps ends the work, and completed steps are kept.
func TestPruneStops(t *testing.T) {
	s, now := newStore(open(t, "sqlite:"+t.TempDir()+"/history.db"), joblog.Limits{})
	for i := range 250 {
		s.put(t, of(fmt.Sprint(i), 0), nil)
	}
	enough := errors.New("enough")
	r, err := joblog.Prune(t.Context(), s.d.DB, now.Add(time.Hour), func(context.Context, time.Duration) error { return enough })
	if !errors.Is(err, enough) || r.Logs != 100 {
		t.Errorf("got %+v and error %v, want 100 logs removed, then the error", r, err)
	}
	if totals, err := s.Totals(t.Context()); err != nil || totals.Empty != 150 {
		t.Errorf("got %+v and error %v, want 150 empty logs", totals, err)
	}
}
