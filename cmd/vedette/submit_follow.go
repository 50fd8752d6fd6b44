package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"

	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// watchedJob is a job whose end the command waits for.
type watchedJob struct {
	submit.Job
	say func(s job.Status, format string, args ...any) error

	earlier bool // it had ended before the command began, and does not count

	mu   sync.Mutex
	spec job.Spec // of the last revision
	last job.Status
	told map[string]bool // messages about pods that were printed
}

// await waits until all jobs among the results have ended. one waits for one of them.
func (o *submitOptions) await(ctx context.Context, next commandFor, results []submit.Result, con *console.Console, one func(context.Context, *watchedJob) error) error {
	var cancel context.CancelFunc
	if o.timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, errTimeout)
		defer cancel()
	}
	var work sync.WaitGroup
	var all []*watchedJob
	errs := make([]error, len(results))
	for i, r := range results {
		if !isWorkload(r.Resource) {
			continue
		}
		j := &watchedJob{Job: r.Job(), told: map[string]bool{}, say: o.sayer(r.Job(), con)}
		all = append(all, j)
		if j.earlier = r.Before && !o.any && job.ReadStatus(r.Object.Object).State.Final(); j.earlier {
			continue
		}
		work.Go(func() { errs[i] = one(ctx, j) })
	}
	work.Wait()
	if len(all) == 0 {
		return errors.New("no job is among what was submitted, so there is nothing to wait for")
	}
	return o.conclude(ctx, next, all, errors.Join(errs...))
}

// errTimeout is the end of --timeout.
var errTimeout = errors.New("the time is over")

// conclude returns the error and the exit code for the ends of jobs.
func (o *submitOptions) conclude(ctx context.Context, next commandFor, all []*watchedJob, err error) error {
	code := exitSuccess
	var errs []error
	for _, j := range all {
		switch s := j.status(); {
		case j.earlier:
			code = cmp.Or(code, exitEarlier)
			errs = append(errs, fmt.Errorf("%s had ended before the command began: it is %s; take another --key to run it again, or add --any to count it", j, stateText(job.ReadStatus(j.Object.Object))))
		case s.State == job.Succeeded:
		case s.State.Final():
			code = exitImpossible
		case errors.Is(context.Cause(ctx), errTimeout):
			errs = append(errs, fmt.Errorf("%s has not ended within %v: it is %s", j, o.timeout, stateText(s)))
		case ctx.Err() != nil:
			errs = append(errs, fmt.Errorf("interrupted; %s is %s, and continues; `%s` ends it", j, stateText(s), next("cancel", j.Job)))
		}
	}
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return exitCode(exitTimeout, errors.Join(errs...))
	case ctx.Err() != nil:
		return exitCode(exitInterrupt, errors.Join(errs...))
	case err != nil:
		return err
	case code != exitSuccess:
		return exitCode(code, errors.Join(errs...))
	}
	return nil
}

// sayer returns the function that prints the events of a job. With -o, standard output is for
// programs.
func (o *submitOptions) sayer(j submit.Job, con *console.Console) func(job.Status, string, ...any) error {
	return func(s job.Status, format string, args ...any) error {
		text := printable.Sprintf(format, args...)
		if o.output != "" {
			con.Say("%s  %s  %s", time.Now().Format(time.TimeOnly), j, text)
			return nil
		}
		line := printable.Sprintf("%s  %s  ", time.Now().Format(time.TimeOnly), j)
		if s.State != "" && con.Colors {
			text = listing.PaintState(s.String(), s.State) + strings.TrimPrefix(text, s.String())
		}
		return con.Styled(line + text + "\n")
	}
}

// awaitOne prints the states of a job until it has ended.
func (o *submitOptions) awaitOne(ctx context.Context, cluster *kube.Cluster, j *watchedJob, con *console.Console) error {
	selection := kube.Selection{Namespace: j.Namespace, FieldSelector: "metadata.name=" + j.Name}
	jobs, err := watchview.NewInformer(cluster, watchview.Target{Resource: j.Resource, Selection: selection})
	if err != nil {
		return err
	}
	pods, err := watchview.NewInformer(cluster, watchview.Target{Resource: kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, Selection: kube.Selection{Namespace: j.Namespace}})
	if err != nil {
		return err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	for _, inf := range []*informer.Informer[watchview.Object]{jobs, pods} {
		work.Go(func() {
			if err := inf.Run(running); err != nil {
				stop(err)
			}
		})
	}
	work.Go(func() {
		if err := attendJob(running, cluster, jobs, j, con); err != nil {
			stop(err)
		}
	})
	work.Go(func() {
		if err := hopelessList(running, pods); err != nil {
			con.Say("why pods of %s cannot run will not be shown: %s", j, explain.Line(err))
		}
	})
	work.Go(func() {
		for ev := range pods.Changes(running, informer.SubscriptionConfig{Mode: store.Latest}) {
			if err := j.pod(ev); err != nil {
				stop(err)
				return
			}
		}
	})
	printed := make(chan struct{})
	work.Go(func() {
		defer close(printed)
		if o.follow {
			if err := o.printLogs(running, cluster, j, con); err != nil {
				stop(err)
			}
		}
	})
	err = j.states(running, jobs)
	last := time.NewTimer(lastWait)
	select {
	case <-printed:
	case <-last.C:
	case <-running.Done():
	}
	last.Stop()
	stop(nil)
	work.Wait()
	if cause := context.Cause(running); err == nil && ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// attendJob reports when the server goes away and comes back, and fails if the job cannot be
// watched at all.
func attendJob(ctx context.Context, cluster *kube.Cluster, jobs *informer.Informer[watchview.Object], j *watchedJob, con *console.Console) error {
	err := watchview.Attend(ctx, cluster.Host(), []watchview.Followed{{Resource: j.Resource, Inf: jobs}}, con)
	con.Clear()
	return submit.Denied(ctx, cluster, err, submit.Right{Verb: "watch", Resource: j.Resource, Namespace: j.Namespace, Also: []string{"list"}})
}

// hopelessList waits for the first list of an informer. It returns an error that a retry cannot
// fix.
func hopelessList(ctx context.Context, inf *informer.Informer[watchview.Object]) error {
	for {
		health, changed := inf.Health()
		if health.Synced {
			return nil
		}
		if err := watchview.Hopeless("pods", health.Health); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// states prints the states of a job, until it has ended or was deleted.
func (j *watchedJob) states(ctx context.Context, jobs *informer.Informer[watchview.Object]) error {
	select {
	case <-jobs.Synced():
	case <-ctx.Done():
		return nil
	}
	now, ok, err := jobs.Snapshot().Get(wire.Key{Namespace: j.Namespace, Name: j.Name})
	if err != nil {
		return err
	}
	if !ok || string(now.GetUID()) != j.UID {
		return j.gone(j.Object)
	}
	for ev := range jobs.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		if ev.UID() != j.UID {
			continue
		}
		obj, err := ev.Object()
		if err != nil {
			return err
		}
		obj.SetAPIVersion(j.Resource.APIVersion())
		obj.SetKind(j.Resource.Kind)
		if ev.Kind() == store.Deleted {
			return j.gone(obj)
		}
		s, err := j.to(obj, job.ReadStatus(obj.Object))
		if err != nil || s.State.Final() {
			return err
		}
	}
	return nil
}

// to handles a new state of an object.
func (j *watchedJob) to(obj *watchview.Object, s job.Status) (job.Status, error) {
	j.mu.Lock()
	j.spec = job.ReadSpec(obj.Object)
	j.mu.Unlock()
	return s, j.reached(s)
}

// reached prints a state if it differs from the last one.
func (j *watchedJob) reached(s job.Status) error {
	j.mu.Lock()
	before := j.last
	j.last = s
	j.mu.Unlock()
	if s.String() == before.String() && s.Reason == before.Reason || s.String() == "" {
		return nil
	}
	return j.say(s, "%s%s", s.String(), because(s))
}

// because returns the reason for a state.
func because(s job.Status) string {
	why := strings.TrimSpace(s.Reason + " " + printable.OneLine(s.Message))
	if why == "" {
		return ""
	}
	return ": " + why
}

// gone ends a job whose object was deleted. Its annotations show whether it was cancelled.
func (j *watchedJob) gone(last *watchview.Object) error {
	s := job.ReadStatus(last.Object)
	if !s.State.Final() {
		s = job.Status{State: job.Deleted}
	}
	_, err := j.to(last, s)
	return err
}

func (j *watchedJob) status() job.Status {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// pod prints why a pod of the job cannot run: a job may have a thousand pods with a wrong
// image.
func (j *watchedJob) pod(ev informer.Event[watchview.Object]) error {
	if ev.Kind() == store.Deleted {
		return nil
	}
	obj, err := ev.Object()
	if err != nil || !j.owns(obj) {
		return err
	}
	obj.SetAPIVersion("v1")
	obj.SetKind("Pod")
	return j.cannotRun(obj.GetName(), job.ReadStatus(obj.Object))
}

// cannotRun prints why a pod cannot run, once for each reason.
func (j *watchedJob) cannotRun(pod string, s job.Status) error {
	switch s.Reason {
	case "", "ContainerCreating", "PodInitializing", "Completed":
		return nil
	}
	j.mu.Lock()
	told := j.told[s.Reason] || j.last.State.Final()
	j.told[s.Reason] = true
	j.mu.Unlock()
	if told {
		return nil
	}
	return j.say(job.Status{}, "pod %s is %s%s", pod, s.String(), because(s))
}

// owns reports whether a pod belongs to the job.
func (j *watchedJob) owns(pod *watchview.Object) bool {
	if owner := metav1.GetControllerOf(pod); owner != nil && string(owner.UID) == j.UID {
		return true
	}
	j.mu.Lock()
	selector := j.spec.PodLabels
	j.mu.Unlock()
	return len(selector) > 0 && labels.SelectorFromSet(selector).Matches(labels.Set(pod.GetLabels()))
}

// lastWait is the maximum wait for the last lines of a job that has ended.
const lastWait = 10 * time.Second

// printLogs prints the lines of a job's pods until all have ended.
func (o *submitOptions) printLogs(ctx context.Context, cluster *kube.Cluster, j *watchedJob, con *console.Console) error {
	printer, err := newLogPrinter(con, logFormat{prefix: "always", color: o.color})
	if err != nil {
		return err
	}
	for line, err := range logs.Read(ctx, logs.Options{Cluster: cluster, Job: j.Job, Follow: true}) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			con.Say("the logs of %s: %s", j, explain.Line(err))
			continue
		}
		if err := o.printLog(printer, line, con); err != nil {
			return err
		}
	}
	return nil
}

// printLog prints a line of a log. With -o, standard output is for programs.
func (o *submitOptions) printLog(printer *logPrinter, line logs.Line, con *console.Console) error {
	if o.output != "" {
		con.Say("%s %s%s", line.Pod, line.Text, line.Note)
		return nil
	}
	return printer.write(line)
}
