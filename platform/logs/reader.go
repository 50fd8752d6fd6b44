package logs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
)

// reader reads the logs of a job. It belongs to one goroutine.
type reader struct {
	o        *Options
	plan     plan
	finder   *finder
	selector string
	lives    map[runKey]*live // already read
	said     map[string]bool  // notes about pods
	yield    func(Line) bool
}

func newReader(o *Options, yield func(Line) bool) *reader {
	r := &reader{o: o, plan: plan{o: o}, lives: map[runKey]*live{}, said: map[string]bool{}, yield: yield}
	if o.Cluster != nil {
		r.finder = newFinder(o.Cluster, o.Job)
	}
	return r
}

// survey finds the logs to read.
//
// Errors: *submit.DeniedError, *kube.RequestError, those of the database.
func (r *reader) survey(ctx context.Context) error {
	if r.finder != nil {
		found, selector, err := r.finder.find(ctx)
		if err != nil {
			return err
		}
		r.plan.survey(found)
		r.selector = selector
	}
	if err := r.plan.readKept(ctx); err != nil {
		return err
	}
	r.plan.arrange()
	return nil
}

// present reads all logs to their current end, attempt after attempt.
//
// Errors: errEnough; *submit.DeniedError, those of the database, the cause of ctx.
func (r *reader) present(ctx context.Context) error {
	for rest := r.plan.runs; len(rest) > 0; {
		attempt := rest[0].attempt
		n := slices.IndexFunc(rest, func(other *run) bool { return other.attempt != attempt })
		if n < 0 {
			n = len(rest)
		}
		if err := r.attempt(ctx, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	notes := r.plan.notes(r.said, r.o.Follow)
	if r.o.Follow && len(r.plan.live) == 0 {
		notes = append(notes, Line{Note: r.o.Job.String() + " has no pods yet" + inState(r.o.Job.Object)})
	}
	for _, note := range notes {
		if !r.yield(note) {
			return errEnough
		}
	}
	return nil
}

// attempt reads the logs of an attempt, a limited number at a time.
func (r *reader) attempt(ctx context.Context, runs []*run) error {
	if n := r.o.Streams; len(runs) > n {
		note := fmt.Sprintf("attempt %d has %s logs, which are read %d at a time: only lines that are read together are in the order of time", runs[0].attempt, thousands(len(runs)), n)
		if !r.yield(Line{Attempt: runs[0].attempt, Note: note}) {
			return errEnough
		}
	}
	for group := range slices.Chunk(runs, r.o.Streams) {
		var sources []source
		for _, one := range group {
			l := r.lives[one.key()]
			switch {
			case one.kept != nil && l != nil:
				sources = append(sources, &past{o: r.o, run: one, after: l.resume.latest})
				continue
			case one.kept != nil:
				sources = append(sources, &past{o: r.o, run: one})
				continue
			case l == nil:
				l = newLive(r.o, one)
				r.lives[one.key()] = l
			}
			l.change(status{over: one.over, previous: one.previous})
			sources = append(sources, l)
		}
		if err := readTogether(ctx, sources, r.yield); err != nil {
			return err
		}
	}
	return nil
}

// inState returns the state of a job as the end of a sentence.
func inState(j *unstructured.Unstructured) string {
	if j == nil {
		return ""
	}
	s := job.ReadStatus(j.Object)
	if s.State == "" {
		return ""
	}
	return fmt.Sprintf(": it is %s%s", s.State, because(strings.TrimSpace(s.Reason+" "+s.Message)))
}
