package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/client"
	"github.com/vedette-io/vedette/portal/records"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/submit"
)

// portalJobs are the jobs that a portal shows, for commands that act on one of them.
type portalJobs struct {
	*client.Client
	h         *historyReader
	namespace string
	cluster   string // name or UID; "" for any
	ca        string // of --server-ca
}

// shownFor is how long a job is looked for that a portal does not show: recorders need a moment
// for a new one.
const shownFor = 3 * time.Second

// jobsOfPortal returns the jobs of a portal in the namespace of the flags, of the kubeconfig,
// or default.
func jobsOfPortal(c *client.Client, flags *serverFlags, connect kube.Config, cluster string) *portalJobs {
	return &portalJobs{c, &historyReader{records.New(c), func() {}}, namespaceOf(connect), cluster, flags.ca}
}

// namespaceOf returns the namespace of the flags, of the kubeconfig, or default.
func namespaceOf(connect kube.Config) string {
	if connect.Namespace != "" {
		return connect.Namespace
	}
	cluster, err := kube.Connect(connect)
	if err != nil {
		return "default" // a history needs no kubeconfig
	}
	defer cluster.Close()
	return cluster.Namespace()
}

// find returns the last job of a name, NAME or TYPE/NAME, that the portal shows.
//
// Errors: history.ErrUnknown; several types have such a job.
func (p *portalJobs) find(ctx context.Context, name string) (submit.Job, api.JobRef, error) {
	until := time.NewTimer(shownFor)
	defer until.Stop()
	tick := time.NewTicker(shownFor / 6)
	defer tick.Stop()
	for {
		found, err := p.named(ctx, name)
		ref := refOf(&found)
		if err == nil { // the portal may know the record of a job earlier than the job
			_, err = p.Job(ctx, ref, nil)
		}
		if err == nil {
			return jobOf(found), ref, nil
		}
		var unknown *api.Problem
		if !errors.Is(err, history.ErrUnknown) && (!errors.As(err, &unknown) || unknown.Type != api.ProblemUnknown) {
			return submit.Job{}, api.JobRef{}, err
		}
		select {
		case <-tick.C:
		case <-until.C:
			return submit.Job{}, api.JobRef{}, err
		case <-ctx.Done():
			return submit.Job{}, api.JobRef{}, context.Cause(ctx)
		}
	}
}

// named is find without patience.
func (p *portalJobs) named(ctx context.Context, name string) (history.Object, error) {
	all, err := p.h.Types(ctx)
	if err != nil {
		return history.Object{}, err
	}
	typ, rest, typed := strings.Cut(name, "/")
	types := slices.DeleteFunc(slices.Clone(all), func(t history.Type) bool { return !isJobType(t.String()) })
	if typed {
		name = rest
		one, err := history.FindType(types, typ)
		if other, recorded := history.FindType(all, typ); err != nil && recorded == nil {
			err = fmt.Errorf("%s is no type of jobs: with --server this command takes jobs only, such as job/train-7", other)
		}
		if err != nil {
			return history.Object{}, err
		}
		types = []history.Type{one}
	}
	var found []history.Object
	for _, t := range types {
		page, err := p.h.Objects(ctx, history.ObjectName{Type: t, Namespace: p.namespace, Name: name, Cluster: p.cluster}, history.Paging{Limit: 1000})
		if err != nil {
			return history.Object{}, err
		}
		if len(page.Items) > 0 {
			if err := oneCluster(page.Items); err != nil {
				return history.Object{}, err
			}
			found = append(found, page.Items[0])
		}
	}
	switch len(found) {
	case 0:
		return history.Object{}, fmt.Errorf("%s in the namespace %s: %w", name, p.namespace, history.ErrUnknown)
	case 1:
		return found[0], nil
	}
	return history.Object{}, fmt.Errorf("there are %s and %s: name the type", nameOf(found[0]), nameOf(found[1]))
}

// openStates are the states of jobs that have not ended.
var openStates = []state.State{state.Submitted, state.Queued, state.Suspended, state.Starting, state.Running, state.Restarting}

// open returns the jobs with some labels that have not ended.
func (p *portalJobs) open(ctx context.Context, selector string) (jobs []submit.Job, refs []api.JobRef, err error) {
	r := recordedJobs{h: p.h}
	list, err := r.list(ctx, jobQuery{cluster: p.cluster, namespace: p.namespace, labels: selector, states: openStates}, time.Now())
	for i := range list.jobs {
		j := &list.jobs[i]
		ref := api.JobRef{Cluster: j.Cluster, UID: j.UID, Type: j.Type, Namespace: j.Namespace, Name: j.Name}
		jobs, refs = append(jobs, jobOfRef(ref)), append(refs, ref)
	}
	return jobs, refs, err
}

// jobOfRef returns the job that a portal names.
func jobOfRef(ref api.JobRef) submit.Job {
	resource, group, _ := strings.Cut(ref.Type, ".")
	r := kube.Resource{Group: group, Name: resource, Singular: strings.TrimSuffix(resource, "s"), Scope: kube.Namespaced}
	return submit.Job{Resource: r, Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}
}

// refOf names an object for the portal.
func refOf(o *history.Object) api.JobRef {
	return api.JobRef{Cluster: o.Cluster, UID: o.UID, Type: o.Type.String(), Namespace: o.Namespace, Name: o.Name}
}

// next returns a command about a job on the portal, with the flags that lead to it from here.
func (p *portalJobs) next(verb string, job submit.Job) string {
	text := "vedette " + verb + " " + job.String() + " -n " + job.Namespace + " --server " + p.Address()
	if p.ca != "" {
		text += " --server-ca " + p.ca
	}
	if p.cluster != "" {
		text += " --cluster " + p.cluster
	}
	return text
}

// clusterFor returns the cluster for a new job.
//
// Errors: the portal writes to no cluster or to several, and none is named.
func (p *portalJobs) clusterFor(ctx context.Context) (string, error) {
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

// notContext is what to do instead of naming a context of a kubeconfig.
const notContext = "--cluster names a cluster of the portal"

var errNotCluster = errors.New("--cluster names a cluster of a portal: add --server, or choose the cluster with --context")

// onlyCluster returns an error if a flag is set that needs access to a cluster. instead says
// what to do, by the name of the flag.
func onlyCluster(cmd *cobra.Command, instead map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s does not work with a portal: %s", name, instead[name])
		}
	}
	return nil
}
