package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/client"
	"github.com/vedette-io/vedette/portal/records"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/submit"
)

// portalJobs are the jobs that a portal shows, for commands that act on one of them.
type portalJobs struct {
	*client.Client
	h         *historyReader
	namespace string
}

// jobsOfPortal returns the jobs of a portal in the namespace of the flags, of the kubeconfig,
// or default.
func jobsOfPortal(c *client.Client, connect kube.Config) *portalJobs {
	return &portalJobs{c, &historyReader{records.New(c), func() {}}, namespaceOf(connect)}
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
	types, err := p.h.Types(ctx)
	if err != nil {
		return submit.Job{}, api.JobRef{}, err
	}
	typ, rest, typed := strings.Cut(name, "/")
	types = slices.DeleteFunc(types, func(t history.Type) bool { return !isJobType(t.String()) })
	if typed {
		name = rest
		one, err := history.FindType(types, typ)
		if err != nil {
			return submit.Job{}, api.JobRef{}, err
		}
		types = []history.Type{one}
	}
	var found []history.Object
	for _, t := range types {
		page, err := p.h.Objects(ctx, history.ObjectName{Type: t, Namespace: p.namespace, Name: name}, history.Paging{Limit: 1000})
		if err != nil {
			return submit.Job{}, api.JobRef{}, err
		}
		if len(page.Items) > 0 {
			if err := oneCluster(page.Items); err != nil {
				return submit.Job{}, api.JobRef{}, err
			}
			found = append(found, page.Items[0])
		}
	}
	switch len(found) {
	case 0:
		return submit.Job{}, api.JobRef{}, fmt.Errorf("%s in the namespace %s: %w", name, p.namespace, history.ErrUnknown)
	case 1:
		o := found[0]
		return jobOf(o), api.JobRef{Cluster: o.Cluster, UID: o.UID, Type: o.Type.String(), Namespace: o.Namespace, Name: o.Name}, nil
	}
	return submit.Job{}, api.JobRef{}, fmt.Errorf("there are %s and %s: name the type", nameOf(found[0]), nameOf(found[1]))
}

// next returns a command about a job on the portal.
func (p *portalJobs) next(verb string, job submit.Job) string {
	return "vedette " + verb + " " + job.String() + " -n " + job.Namespace + " --server " + p.Address()
}

// clusterFor returns the cluster for a new job.
//
// Errors: the portal writes to no cluster or to several, and none is named.
func (p *portalJobs) clusterFor(ctx context.Context, name string) (string, error) {
	if name != "" {
		return name, nil
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

// onlyCluster returns an error if a flag is set that needs access to a cluster.
func onlyCluster(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s needs access to the cluster, and a portal has no such request; leave out --server, or --%[1]s", name)
		}
	}
	return nil
}

// mistakes returns an error for each mistake of a job that a portal has found, as those of a
// cluster.
func mistakes(err error) error {
	var p *api.Problem
	if !errors.As(err, &p) || p.Type != api.ProblemInvalid || len(p.Fields) == 0 {
		return err
	}
	return fieldErrors(p.Fields)
}

// fieldErrors returns an error for each mistake.
func fieldErrors(fields []api.FieldProblem) error {
	return each(fields, func(f api.FieldProblem) error {
		text := oneLine(f.Message)
		if f.Field != "" {
			text = oneLine(f.Field) + ": " + text
		}
		if f.Line > 0 {
			text = fmt.Sprintf("line %d: %s", f.Line, text)
		}
		return errors.New(text)
	})
}
