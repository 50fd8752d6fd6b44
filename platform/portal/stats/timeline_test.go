package stats_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/stats"
)

// TestTimelineAgainstModel: the pages of a timeline contain each job of the window once, by group
// and then in order, and the headers of the groups count all jobs.
func TestTimelineAgainstModel(t *testing.T) {
	groups := map[string]func(*jobindex.Row) string{
		"": func(*jobindex.Row) string { return "" }, "cluster": func(r *jobindex.Row) string { return r.Cluster },
		"queue": func(r *jobindex.Row) string { return r.Queue }, "owner": func(r *jobindex.Row) string { return r.Owner },
	}
	orders := map[string]func(a, b *jobindex.Row) int{
		"":      func(a, b *jobindex.Row) int { return a.Submitted.Compare(b.Submitted) },
		"-gpus": func(a, b *jobindex.Row) int { return cmp.Compare(b.GPUs, a.GPUs) },
		"name":  func(a, b *jobindex.Row) int { return cmp.Compare(a.Name, b.Name) },
	}
	testinput.Check(t, func(t *rapid.T) {
		x := open(draw(t))
		q := stats.TimelineQuery{Query: drawQuery(t), Window: drawWindow(t, "window")}
		q.Group, q.Sort = rapid.SampledFrom([]string{"", "cluster", "queue", "owner"}).Draw(t, "group"), rapid.SampledFrom([]string{"", "-gpus", "name"}).Draw(t, "sort")
		q.Limit = rapid.IntRange(1, 9).Draw(t, "limit")
		bounded := q.Query
		bounded.From, bounded.To, bounded.Sort = q.Window.From, q.Window.To, ""
		want := rows(t, x, bounded)
		group, order := groups[q.Group], orders[q.Sort]
		slices.SortFunc(want, func(a, b jobindex.Row) int {
			return cmp.Or(cmp.Compare(group(&a), group(&b)), order(&a, &b), cmp.Compare(a.ID, b.ID))
		})
		var got []int64
		for range 50 {
			a, err := stats.New(stats.Config{Index: x}).Timeline(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			jobs := 0
			for _, g := range a.Groups {
				jobs += g.Jobs
			}
			if a.Matching.N != len(want) || jobs != len(want) || len(a.Jobs) > q.Limit {
				t.Fatalf("%d match, %d in groups, %d on the page; want %d", a.Matching.N, jobs, len(a.Jobs), len(want))
			}
			for _, j := range a.Jobs {
				got = append(got, j.ID)
				for _, s := range j.Life {
					if !s.From.Before(q.Window.To) || !s.To.IsZero() && !s.To.After(q.Window.From) {
						t.Fatalf("job %d has a span outside of the window: %+v", j.ID, s)
					}
				}
			}
			if q.After = a.Next; q.After == "" {
				break
			}
		}
		var ids []int64
		for _, r := range want {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(got, ids) {
			t.Fatalf("jobs %v, want %v", got, ids)
		}
	})
}

// TestTimelineMistakes: each invalid argument has its own error.
func TestTimelineMistakes(t *testing.T) {
	r := stats.New(stats.Config{Index: open(nil)})
	w := stats.Window{From: minutes(0), To: minutes(1)}
	for _, c := range []struct {
		query stats.TimelineQuery
		want  error
	}{
		{stats.TimelineQuery{}, stats.ErrWindow},
		{stats.TimelineQuery{Window: w, Group: "moon"}, stats.ErrOrder},
		{stats.TimelineQuery{Window: w, Query: jobindex.Query{Sort: "moon"}}, stats.ErrOrder},
		{stats.TimelineQuery{Window: w, Query: jobindex.Query{After: "moon"}}, stats.ErrCursor},
		{stats.TimelineQuery{Window: w, Query: jobindex.Query{After: "e30"}}, stats.ErrCursor},
	} {
		if _, err := r.Timeline(t.Context(), c.query); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.query, err, c.want)
		}
	}
}
