package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/submit"
)

// onPortal submits jobs in the name of the person that the portal knows. Templates are those of
// the program and of the folder.
func (o *submitOptions) onPortal(ctx context.Context, con *console) error {
	if err := o.check(); err != nil {
		return err
	}
	c, err := o.server.client()
	if err != nil {
		return err
	}
	jobs := jobsOfPortal(c, o.templates.connect)
	o.templates.namespace = "" // of a cluster
	sources, err := o.read(ctx, con)
	if err != nil {
		return err
	}
	cluster, err := jobs.clusterFor(ctx, o.cluster)
	if err != nil {
		return err
	}
	requests := make([]api.SubmitRequest, len(sources))
	for i, r := range o.requests(sources) {
		text, err := objectyaml.Marshal(r.Manifest.Object.Object)
		if err != nil {
			return err
		}
		requests[i] = api.SubmitRequest{Cluster: cluster, Namespace: o.namespace, YAML: text, Key: r.Key}
		if o.again {
			requests[i].Key = submit.RandomKey()
		}
	}
	if len(requests) > 1 || o.dryRun {
		if err := o.checkAll(ctx, jobs, requests, con); err != nil || o.dryRun {
			return err
		}
	}
	for i, r := range requests {
		con.progress("submitting …")
		done, err := jobs.Submit(ctx, r)
		con.clear()
		if err != nil {
			if i > 0 {
				con.say("%d of %d jobs were submitted; repeat the command to submit the rest: it creates no second one", i, len(requests))
			}
			return mistakes(err)
		}
		if err := o.printSubmitted(ctx, jobs, done, con); err != nil {
			return err
		}
	}
	return nil
}

// checkAll has the portal check all jobs, so that all mistakes are found.
func (o *submitOptions) checkAll(ctx context.Context, jobs *portalJobs, requests []api.SubmitRequest, con *console) error {
	if o.dryRun && o.output != "" {
		return errors.New("a portal does not show what it would store; leave out -o")
	}
	return each(requests, func(r api.SubmitRequest) error {
		con.progress("checking …")
		checked, err := jobs.Check(ctx, r)
		con.clear()
		if err != nil {
			return mistakes(err)
		}
		if !checked.OK {
			return fieldErrors(checked.Problems)
		}
		if !o.dryRun {
			return nil
		}
		for _, text := range checked.Warnings {
			con.say("warning: %s", text)
		}
		return con.print("the job would be created (dry run)\n")
	})
}

// printSubmitted prints what became of a request, as print does for a cluster.
func (o *submitOptions) printSubmitted(ctx context.Context, jobs *portalJobs, done *api.Submitted, con *console) error {
	for _, text := range done.Warnings {
		con.say("warning: %s", text)
	}
	job := jobOfRef(done.Job)
	switch {
	case o.output == "name":
		return con.print(printable.Line(job.String()) + "\n")
	case o.output != "":
		return fmt.Errorf("%s was submitted; a portal does not send the object: use -o name, or `%s`", job, jobs.next("show", job))
	case done.Created:
		return con.print(printable.Sprintf("%s submitted to namespace %s; next: `%s`, `%s`\n", job, job.Namespace, jobs.next("jobs", job), jobs.next("cancel", job)))
	}
	before, err := jobs.Job(ctx, done.Job, nil)
	if err != nil { // it may not be recorded yet
		return con.print(printable.Sprintf("%s was submitted to namespace %s already; --again submits one more\n", job, job.Namespace))
	}
	return con.print(printable.Sprintf("%s was submitted to namespace %s already, %s ago, and is %s; --again submits one more\n",
		job, job.Namespace, length(max(time.Since(before.Job.Submitted), time.Second).Round(time.Second)), label(before.Job.State, before.Job.Raw)))
}

// jobOfRef returns the job that a portal names.
func jobOfRef(ref api.JobRef) submit.Job {
	resource, group, _ := strings.Cut(ref.Type, ".")
	r := kube.Resource{Group: group, Name: resource, Singular: strings.TrimSuffix(resource, "s"), Scope: kube.Namespaced}
	return submit.Job{Resource: r, Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}
}
