package portaljobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/records"
	"github.com/vedette-io/vedette/platform/submit"
)

// Jobs are the jobs that a portal shows, for commands that act on one of them.
type Jobs struct {
	*client.Client
	h         *source.History
	namespace string
	cluster   string // name or UID; "" for any
	CA        string // of --server-ca
}

// shownFor is the maximum time to look for a job that the portal does not show yet. A recorder
// stores a new job with a delay.
const shownFor = 3 * time.Second

// New returns the jobs of a portal in the namespace of the flags, of the kubeconfig,
// or default.
func New(c *client.Client, flags *source.ServerFlags, connect kube.Config, cluster string) *Jobs {
	return &Jobs{c, &source.History{Reader: records.New(c), CloseFunc: func() {}}, source.NamespaceOf(connect), cluster, flags.CA}
}

// Find returns the last job of a name, NAME or TYPE/NAME, that the portal shows.
//
// Errors: history.ErrUnknown; several types have such a job.
func (p *Jobs) Find(ctx context.Context, name string) (submit.Job, api.JobRef, error) {
	until := time.NewTimer(shownFor)
	defer until.Stop()
	tick := time.NewTicker(shownFor / 6)
	defer tick.Stop()
	for {
		found, err := p.named(ctx, name)
		ref := refOf(&found)
		if err == nil { // the portal may show the record of a job before the job
			_, err = p.Job(ctx, ref, nil)
		}
		if err == nil {
			return JobOf(found), ref, nil
		}
		var unknown *api.Problem
		if !errors.Is(err, history.ErrUnknown) && (!errors.As(err, &unknown) || unknown.Type != api.ProblemUnknown) {
			return submit.Job{}, api.JobRef{}, err
		}
		select {
		case <-tick.C:
		case <-until.C:
			return submit.Job{}, api.JobRef{}, p.elsewhere(ctx, name, err)
		case <-ctx.Done():
			return submit.Job{}, api.JobRef{}, context.Cause(ctx)
		}
	}
}

// named is Find without retries.
func (p *Jobs) named(ctx context.Context, name string) (history.Object, error) {
	all, err := p.h.Types(ctx)
	if err != nil {
		return history.Object{}, err
	}
	full := name
	typ, rest, typed := strings.Cut(name, "/")
	types := slices.DeleteFunc(slices.Clone(all), func(t history.Type) bool { return !job.IsJobType(t.String()) })
	if typed {
		name = rest
		candidates, err := history.FindTypes(types, typ)
		if other, recorded := history.FindType(all, typ); err != nil && recorded == nil {
			err = fmt.Errorf("%s is not a type of jobs: with --server this command takes jobs only, such as job/train-7", other)
		}
		if err != nil {
			return history.Object{}, err
		}
		types = candidates
	}
	var found []history.Object
	for _, t := range types {
		page, err := p.h.Objects(ctx, history.ObjectName{Type: t, Namespace: p.namespace, Name: name, Cluster: p.cluster}, history.Paging{Limit: 1000})
		if err != nil {
			return history.Object{}, err
		}
		if len(page.Items) > 0 {
			if err := source.OneCluster(page.Items); err != nil {
				return history.Object{}, err
			}
			if found = append(found, page.Items[0]); typed {
				break // the types are in kubectl's order
			}
		}
	}
	switch len(found) {
	case 0:
		return history.Object{}, &unknownError{submit.UnknownJobError{Name: full, Namespace: p.namespace}}
	case 1:
		return found[0], nil
	}
	return history.Object{}, &submit.AmbiguousError{Name: name, Namespace: p.namespace, Jobs: namesOf(found)}
}

// unknownError is submit.UnknownJobError for a portal. It is also history.ErrUnknown.
type unknownError struct{ submit.UnknownJobError }

// Error implements error.
func (e *unknownError) Error() string { return e.UnknownJobError.Error() }

// Unwrap returns the error of a cluster, and history.ErrUnknown.
func (e *unknownError) Unwrap() []error { return []error{&e.UnknownJobError, history.ErrUnknown} }

// elsewhere adds the jobs of other types with a name to an error about an unknown job.
func (p *Jobs) elsewhere(ctx context.Context, name string, err error) error {
	var unknown *unknownError
	_, rest, typed := strings.Cut(name, "/")
	if !typed || !errors.As(err, &unknown) {
		return err
	}
	other, failed := p.named(ctx, rest)
	var several *submit.AmbiguousError
	switch {
	case failed == nil:
		unknown.Elsewhere = namesOf([]history.Object{other})
	case errors.As(failed, &several):
		unknown.Elsewhere = several.Jobs
	}
	return err
}

func namesOf(jobs []history.Object) (names []string) {
	for _, o := range jobs {
		names = append(names, JobOf(o).String())
	}
	return names
}

// Open returns the jobs with some labels that have not ended.
func (p *Jobs) Open(ctx context.Context, selector string) (jobs []submit.Job, refs []api.JobRef, err error) {
	r := joblist.Recorded{H: p.h}
	of, err := source.ParseLabels(selector)
	if err != nil {
		return nil, nil, err
	}
	list, err := r.List(ctx, joblist.Query{Cluster: p.cluster, Namespace: p.namespace, Labels: of, States: job.OpenStates()}, time.Now())
	slices.SortFunc(list.Jobs, inClusterOrder)
	for i := range list.Jobs {
		j := &list.Jobs[i]
		ref := api.JobRef{Cluster: j.Cluster, UID: j.UID, Type: j.Type, Namespace: j.Namespace, Name: j.Name}
		jobs, refs = append(jobs, JobOfRef(ref)), append(refs, ref)
	}
	return jobs, refs, err
}

// inClusterOrder compares jobs as submit.Client.Select orders them: by type, then by name.
func inClusterOrder(a, b history.Job) int {
	types := job.Types()
	return cmp.Or(cmp.Compare(slices.Index(types, a.Type), slices.Index(types, b.Type)), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// JobOfRef returns the job of a reference.
func JobOfRef(ref api.JobRef) submit.Job {
	resource, group, _ := strings.Cut(ref.Type, ".")
	r := kube.Resource{Group: group, Name: resource, Singular: strings.TrimSuffix(resource, "s"), Scope: kube.Namespaced}
	return submit.Job{Resource: r, Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}
}

// refOf names an object for the portal.
func refOf(o *history.Object) api.JobRef {
	return api.JobRef{Cluster: o.Cluster, UID: o.UID, Type: o.Type.String(), Namespace: o.Namespace, Name: o.Name}
}

// Next returns a command for a job on the portal, with the flags that it needs.
func (p *Jobs) Next(verb string, job submit.Job) string {
	text := "vedette " + verb + " " + job.String() + " -n " + job.Namespace + " --server " + p.Address()
	if p.CA != "" {
		text += " --server-ca " + p.CA
	}
	if p.cluster != "" {
		text += " --cluster " + p.cluster
	}
	return text
}

// ClusterFor returns the cluster for a new job.
//
// Errors: the portal writes to no cluster, or to several and the flags name none.
func (p *Jobs) ClusterFor(ctx context.Context) (string, error) {
	if p.cluster != "" {
		return p.cluster, nil
	}
	s, err := p.Session(ctx)
	if err != nil {
		return "", err
	}
	var all []string
	for _, c := range s.Clusters {
		if c.Writable {
			all = append(all, c.Name)
		}
	}
	switch len(all) {
	case 0:
		return "", fmt.Errorf("the portal at %s submits jobs to no cluster", p.Address())
	case 1:
		return all[0], nil
	}
	return "", fmt.Errorf("the portal at %s has the clusters %s: choose one with --cluster", p.Address(), strings.Join(all, ", "))
}

// JobOf returns the job of an object of the history.
func JobOf(obj history.Object) submit.Job {
	r := kube.Resource{Group: obj.Type.Group, Name: obj.Type.Resource, Kind: obj.Type.Kind, Singular: strings.ToLower(obj.Type.Kind), Scope: kube.Namespaced}
	if obj.Namespace == "" {
		r.Scope = kube.ClusterScoped
	}
	return submit.Job{Resource: r, Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID}
}
