package joblist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/wire"
)

// Live reads jobs from a cluster.
type Live struct {
	Cluster *kube.Cluster
	Con     *console.Console
	Told    map[string]bool // types about which a note was printed
	watches sync.WaitGroup
}

// Close waits for the watches, which end with their context.
func (l *Live) Close() {
	l.watches.Wait()
	l.Cluster.Close()
}

// List lists all types of jobs that the server serves, at the same time.
func (l *Live) List(ctx context.Context, q Query, now time.Time) (list List, err error) {
	if q.After != "" {
		return list, errors.New("--after continues a list of the history: use --db, or a larger --limit")
	}
	resources, err := l.types(ctx, q.Types)
	if err != nil {
		return list, err
	}
	found := make([][]liveJob, len(resources))
	failed := make([]error, len(resources))
	var group sync.WaitGroup
	for i, r := range resources {
		group.Go(func() { found[i], failed[i] = l.listType(ctx, r, q) })
	}
	group.Wait()
	if err := l.notes(failed); err != nil {
		return list, err
	}
	all := slices.Concat(found...)
	if err := l.addPods(ctx, q.Namespace, all); err != nil {
		return list, err
	}
	all = slices.DeleteFunc(all, func(j liveJob) bool { return q.States != nil && !slices.Contains(q.States, job.State(j.State)) })
	for i := range all {
		j := &all[i]
		end := j.Ended
		if j.Open() {
			end = now
		}
		j.Live(job.LifeOf(j.Submitted, j.entries, end))
		list.Jobs = append(list.Jobs, j.Job)
	}
	history.SortJobs(list.Jobs)
	if q.Limit > 0 && len(list.Jobs) > q.Limit {
		list.More, list.Open = true, map[string]int{}
		for i := range list.Jobs {
			if j := &list.Jobs[i]; j.Open() {
				list.Open[j.State]++
			}
		}
		list.Jobs = list.Jobs[:q.Limit]
	}
	return list, nil
}

// types returns the types of jobs that the server serves, or those of them that words name.
func (l *Live) types(ctx context.Context, words string) (found []kube.Resource, err error) {
	named, err := source.SplitTypes(words)
	if err != nil {
		return nil, err
	}
	for _, word := range named {
		r, err := l.Cluster.Resolve(ctx, word)
		if err != nil {
			return nil, err
		}
		if !job.IsJobType(r.String()) {
			return nil, notJobs(r)
		}
		if !slices.ContainsFunc(found, func(f kube.Resource) bool { return f.String() == r.String() }) {
			found = append(found, r)
		}
	}
	if named != nil {
		return found, nil
	}
	all, err := l.Cluster.Resources(ctx)
	for _, name := range job.Types() {
		if i := slices.IndexFunc(all, func(r kube.Resource) bool { return r.String() == name }); i >= 0 {
			found = append(found, all[i])
		}
	}
	return found, err
}

// notJobs is the error for a type whose objects are not jobs.
func notJobs(t fmt.Stringer) error {
	return fmt.Errorf("%s is not a type of jobs; `vedette watch` and `vedette history` show all types", t)
}

// listType lists the jobs of one type that match a query.
func (l *Live) listType(ctx context.Context, r kube.Resource, q Query) (all []liveJob, err error) {
	client, err := kube.For[unstructured.Unstructured](l.Cluster, kube.ClientConfig{Resource: submit.FullName(r)})
	if err != nil {
		return nil, err
	}
	for object, err := range client.List(ctx, kube.Where{Namespace: q.Namespace, LabelSelector: q.selector()}) {
		if err != nil {
			return nil, submit.Denied(ctx, l.Cluster, err, submit.Right{Verb: "list", Resource: r, Namespace: q.Namespace, Also: []string{"watch"}})
		}
		if isPart(object) {
			continue
		}
		if j := liveJobOf(r, object); q.selects(&j.Job) {
			all = append(all, j)
		}
	}
	return all, nil
}

// selector returns the label selector as the server takes it.
func (q *Query) selector() string {
	if q.Labels == nil {
		return ""
	}
	return q.Labels.String()
}

// selects reports whether a job matches what the server does not select by, apart from its state,
// which its pods may show.
func (q *Query) selects(j *history.Job) bool {
	return (q.Submitter == "" || j.Submitter == q.Submitter) && (q.Queue == "" || j.Queue == q.Queue) && (j.Open() || !j.Ended.Before(q.Since))
}

// notes prints one note for each type that may not be listed. If none may be, or something
// else failed, it returns the first error.
func (l *Live) notes(failed []error) error {
	refused := 0
	for _, err := range failed {
		var denied *submit.DeniedError
		if err != nil && !errors.As(err, &denied) {
			return err
		}
		if denied != nil {
			refused++
		}
	}
	for _, err := range failed {
		var denied *submit.DeniedError
		if !errors.As(err, &denied) {
			continue
		}
		if refused == len(failed) {
			return err
		}
		if l.Told[denied.Resource] {
			continue
		}
		l.Told[denied.Resource] = true
		l.Con.Say("note: %s, so they are missing here; ask for this role, which `kubectl apply -f -` creates:", denied)
		for line := range strings.Lines(denied.Role) {
			l.Con.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

// maxLivePods is how many pods are read to know where jobs run, and why they do not.
const maxLivePods = 5000

// addPods adds the nodes of running jobs, and what the pods of open jobs say about their states.
// Without the right to list pods, both stay unknown.
func (l *Live) addPods(ctx context.Context, namespace string, jobs []liveJob) error {
	of := map[string]*liveJob{}
	for i := range jobs {
		if j := &jobs[i]; j.Open() && job.State(j.State) != job.Suspended {
			of[j.podKey()] = j
		}
	}
	if len(of) == 0 {
		return nil
	}
	client, err := kube.For[corev1.Pod](l.Cluster, kube.ClientConfig{})
	if err != nil {
		return err
	}
	n := 0
	for pod, err := range client.List(ctx, kube.Where{Namespace: namespace, FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"}) {
		if n++; err != nil || n > maxLivePods {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			break // the list is useful without pods
		}
		for _, key := range podKeys(pod) {
			if j := of[key]; j != nil {
				j.pods = append(j.pods, job.ReadStatus(pod))
				if pod.Status.Phase == corev1.PodRunning && j.Node == "" {
					j.Node = pod.Spec.NodeName
				}
				break
			}
		}
	}
	for _, j := range of {
		j.withPods()
	}
	return nil
}

// firstRewatch and lastRewatch bound how long a watch that failed waits.
const (
	firstRewatch = time.Second
	lastRewatch  = 30 * time.Second
)

// changed watches the types of jobs of a query.
func (l *Live) changed(ctx context.Context, q Query) <-chan struct{} {
	changes := make(chan struct{}, 1)
	resources, _ := l.types(ctx, q.Types) // list reports errors
	for _, r := range resources {
		client, err := kube.For[unstructured.Unstructured](l.Cluster, kube.ClientConfig{Resource: submit.FullName(r)})
		if err != nil {
			continue
		}
		l.watches.Go(func() {
			watchJobs(ctx, client, kube.Where{Namespace: q.Namespace, LabelSelector: q.selector()}, changes)
		})
	}
	return changes
}

// watchJobs reports changes of one type until ctx ends.
func watchJobs(ctx context.Context, client *kube.Client[unstructured.Unstructured], where kube.Where, changes chan<- struct{}) {
	for pause := firstRewatch; ctx.Err() == nil; pause = min(2*pause, lastRewatch) {
		for _, err := range client.Watch(ctx, where, wire.Version(0)) {
			if err != nil {
				break
			}
			pause = firstRewatch
			select {
			case changes <- struct{}{}:
			default:
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
