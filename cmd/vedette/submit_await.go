package main

import (
	"context"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/submit"
)

// awaitOnPortal waits until the portal shows that all jobs among the results have ended.
func (o *submitOptions) awaitOnPortal(ctx context.Context, p *portaljobs.Submitter, results []submit.Result, con *console.Console) error {
	return o.await(ctx, p.Jobs.Next, results, con, func(ctx context.Context, j *watchedJob) error {
		ref := api.JobRef{Cluster: p.Cluster, UID: j.UID, Type: j.Resource.String(), Namespace: j.Namespace, Name: j.Name}
		return o.awaitShown(ctx, p.Jobs, ref, j, con)
	})
}

// awaitShown prints the states of a job on a portal until it has ended.
func (o *submitOptions) awaitShown(ctx context.Context, jobs *portaljobs.Jobs, ref api.JobRef, j *watchedJob, con *console.Console) error {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	shown, printed := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		defer close(printed)
		if !o.follow {
			return
		}
		select {
		case <-shown:
		case <-running.Done():
			return
		}
		if err := o.printLogsOf(running, jobs, ref, con); err != nil && running.Err() == nil {
			con.Say("the logs of %s: %s", j, explain.Line(err))
		}
	})
	w := portaljobs.Watch{Jobs: jobs, Ref: ref, Con: con, State: j.reached, Pod: j.cannotRun}
	err := w.Run(running, shown)
	if err == nil {
		last := time.NewTimer(lastWait)
		select {
		case <-printed:
		case <-last.C:
		case <-running.Done():
		}
		last.Stop()
	}
	stop(nil)
	work.Wait()
	return err
}

// printLogsOf prints the lines of a job through a portal until the job has ended.
func (o *submitOptions) printLogsOf(ctx context.Context, jobs *portaljobs.Jobs, ref api.JobRef, con *console.Console) error {
	printer, err := newLogPrinter(con, logFormat{prefix: "always", color: o.color})
	if err != nil {
		return err
	}
	_, err = jobs.FollowLogs(ctx, ref, map[string][]string{"tail": {"all"}, "bytes": {"true"}}, client.LogHandler{
		Cut:  joblist.ReportOnce(con),
		Line: func(l api.LogLine) error { return o.printLog(printer, lineOfPortal(&l), con) },
	})
	return err
}
