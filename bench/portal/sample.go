package portal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// sample has the values for requests: jobs in all states, and cursors.
type sample struct {
	random  *rand.Rand
	ended   []string // paths of jobs
	waiting []string
	failed  []string
	cursors []string // cursors of pages of 50
	now     time.Time
}

// depth is the number of pages of 500 jobs that are read for cursors.
const depth = 20

// sampleOf reads a sample from a portal.
func sampleOf(ctx context.Context, client *http.Client, base string) (*sample, error) {
	s := &sample{random: rand.New(rand.NewPCG(1, 2)), now: time.Now().UTC()}
	for _, a := range []struct {
		query string
		paths *[]string
	}{{"state=Succeeded&sort=name", &s.ended}, {"state=Queued&queue=!queue-watched*", &s.waiting}, {"state=Failed", &s.failed}} {
		list, err := read[api.JobList](ctx, client, base+"/jobs?limit=500&"+a.query)
		if err != nil {
			return nil, err
		}
		for i := range list.Jobs {
			*a.paths = append(*a.paths, "/jobs/"+url.PathEscape(list.Jobs[i].Cluster)+"/"+list.Jobs[i].UID)
		}
		if len(*a.paths) == 0 {
			return nil, fmt.Errorf("the history has no jobs with %s", a.query)
		}
	}
	after := ""
	for range depth {
		list, err := read[api.JobList](ctx, client, base+"/jobs?limit=500&after="+url.QueryEscape(after))
		if err != nil {
			return nil, err
		}
		if after = list.Next; after == "" {
			break
		}
		s.cursors = append(s.cursors, url.QueryEscape(after))
	}
	if len(s.cursors) == 0 {
		s.cursors = append(s.cursors, "")
	}
	return s, nil
}

func (s *sample) n(limit int) int { return s.random.IntN(limit) }

// of returns one of the texts at random.
func (s *sample) of(all ...string) string { return all[s.n(len(all))] }

// ago returns a random time within the last hours.
func (s *sample) ago(hours int) time.Time {
	return s.now.Add(-time.Duration(s.random.Int64N(int64(hours) * int64(time.Hour))))
}

// span returns the parameters of an interval.
func span(from, to time.Time) string {
	return "from=" + from.Format(time.RFC3339) + "&to=" + to.Format(time.RFC3339)
}
