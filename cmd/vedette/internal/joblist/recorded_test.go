package joblist

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// pages is a history with some pages of jobs. The cursor of a page is its number.
type pages struct {
	source.Reader
	all []history.JobPage
}

func (p pages) Types(context.Context) ([]history.Type, error) { return nil, nil }

func (p pages) ListJobs(_ context.Context, _ history.Filter, at history.Paging, _ time.Time) (history.JobPage, error) {
	return p.all[len(at.After)], nil
}

// TestJobEndsBetweenPages: a job that ends while the pages are read is listed once, as ended.
func TestJobEndsBetweenPages(t *testing.T) {
	theJob := func(name string, of job.State, ended time.Time) history.Job {
		return history.Job{ClusterUID: "c", UID: name, Name: name, State: string(of), Ended: ended}
	}
	reader := pages{all: []history.JobPage{
		{Page: history.Page[history.Job]{Items: []history.Job{theJob("a", job.Running, time.Time{}), theJob("b", job.Running, time.Time{})}, Next: "1"}, Open: map[job.State]int{job.Running: 2}},
		{Page: history.Page[history.Job]{Items: []history.Job{theJob("b", job.Succeeded, time.Now()), theJob("z", job.Failed, time.Now())}}},
	}}
	l, err := (&Recorded{H: &source.History{Reader: reader}}).List(t.Context(), Query{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range l.Jobs {
		got = append(got, j.Name+" "+j.State)
	}
	if want := []string{"a Running", "b Succeeded", "z Failed"}; !slices.Equal(got, want) || l.Open["Running"] != 1 {
		t.Errorf("got %v with %v open, want %v with 1 Running", got, l.Open, want)
	}
}
