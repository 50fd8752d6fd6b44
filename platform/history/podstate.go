package history

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// podStatePods is the maximum number of index entries of pods for the states of some jobs.
const podStatePods = 4000

// addPodStates sets the states of jobs by job.Status.WithPods. Objects that have ended, are on
// hold, or are not present stay as they are, and so do those whose pods are not recorded.
func addPodStates(ctx context.Context, db *sqldb.DB, jobs []Object) error {
	for some := range slices.Chunk(jobs, jobsAtOnce) {
		var open []Object
		for i := range some {
			if s := job.State(some[i].State); some[i].Presence == Present && s != "" && s != job.Suspended && !s.Final() {
				open = append(open, some[i])
			}
		}
		if len(open) == 0 {
			continue
		}
		pods, err := podsOfJobs(ctx, db, open, podStatePods)
		if err != nil {
			return err
		}
		for i := range some {
			some[i].withPods(pods[some[i].ID])
		}
	}
	return nil
}

// withPods sets the state of a job by those of its pods.
func (o *Object) withPods(pods []Object) {
	var all []job.Status
	for i := range pods {
		if pods[i].Presence == Present {
			all = append(all, pods[i].status())
		}
	}
	own := o.status()
	s := own.WithPods(all)
	if s.State != own.State && s.At.After(o.Created) {
		o.Since = s.At
	}
	o.State, o.Raw, o.Reason, o.Message = string(s.State), s.Raw, s.Reason, s.Message
}

// status returns the recorded status of an object.
func (o *Object) status() job.Status {
	return job.Status{State: job.State(o.State), Raw: o.Raw, Reason: o.Reason, Message: o.Message, At: o.Since}
}

// podsMayChange are the states in which pods of a job may show another one of them.
func podsMayChange() []job.State {
	return slices.DeleteFunc(job.OpenStates(), func(s job.State) bool { return s == job.Suspended })
}

// beforePods returns the states that a job may have without its pods if it has one of some
// states with them. nil means all states.
func beforePods(states []job.State) []job.State {
	may := podsMayChange()
	if !slices.ContainsFunc(states, func(s job.State) bool { return slices.Contains(may, s) }) {
		return states
	}
	others := slices.DeleteFunc(slices.Clone(states), func(s job.State) bool { return slices.Contains(may, s) })
	return append(others, may...)
}
