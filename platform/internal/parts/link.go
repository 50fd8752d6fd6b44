package parts

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// maxSteps is the maximum number of objects between a part and its job.
const maxSteps = 6

// Link stores the jobs of new parts, and those of older parts that new jobs and parts lead to.
// A part whose owner leads to no job stays open. Link returns the jobs that have other parts now,
// sorted. The caller decides their statuses, and calls Relink after the commit.
func Link(ctx context.Context, tx *sqldb.Tx, w *Written) (changed []int64, err error) {
	l := linker{tx: tx, jobs: map[int64]int64{}, owned: map[int64]bool{}, changed: map[int64]bool{}}
	if w.Open, err = l.link(ctx, w.Parts, w.Jobs); err != nil {
		return nil, err
	}
	return model.SortedIDs(l.changed), nil
}

// link does the work of Link, and returns the parts that it left open, sorted.
func (l *linker) link(ctx context.Context, all []model.Part, jobs []Job) (left []int64, err error) {
	for _, some := range byOwnerKind(all) {
		if err := l.byOwner(ctx, some); err != nil {
			return nil, err
		}
	}
	if err := l.byLabels(ctx, all); err != nil {
		return nil, err
	}
	var open []model.Part
	for i := range all {
		if p := &all[i]; !l.owned[p.ID] && (p.Owner.UID != "" || p.Pod && labeled(p)) {
			open, left = append(open, *p), append(left, p.ID)
		}
	}
	if err := model.InsertOpenParts(ctx, l.tx, open); err != nil {
		return nil, err
	}
	pods, err := l.marked(ctx, jobs)
	if err != nil {
		return nil, err
	}
	slices.Sort(left)
	return left, l.descend(ctx, slices.Concat(all, pods), jobs)
}

// linker finds the jobs of parts.
type linker struct {
	tx      *sqldb.Tx
	jobs    map[int64]int64 // found and not stored yet, by part
	owned   map[int64]bool  // parts whose owner leads to the job; others stay open
	changed map[int64]bool  // jobs that have other parts now
}

// labeled reports whether a pod has the label of an operator.
func labeled(p *model.Part) bool {
	for name := range p.Labels {
		if job.IsPodLabel(name) {
			return true
		}
	}
	return false
}

// kindInCluster is the kind of the owners of some parts.
type kindInCluster struct {
	cluster int64
	kind    string
}

// byOwnerKind divides parts with an owner by the kind of the owner.
func byOwnerKind(all []model.Part) map[kindInCluster][]*model.Part {
	m := map[kindInCluster][]*model.Part{}
	for i := range all {
		if p := &all[i]; p.Owner.UID != "" {
			k := kindInCluster{p.Cluster, p.Owner.Kind}
			m[k] = append(m[k], p)
		}
	}
	return m
}

// byOwner finds the jobs of parts whose owners have the same kind.
func (l *linker) byOwner(ctx context.Context, some []*model.Part) error {
	of := map[string][]*model.Part{}
	var uids []string
	for _, p := range some {
		if of[p.Owner.UID] == nil {
			uids = append(uids, p.Owner.UID)
		}
		of[p.Owner.UID] = append(of[p.Owner.UID], p)
	}
	slices.Sort(uids)
	return model.PartOwners(ctx, l.tx, some[0].Cluster, some[0].Owner.Kind, uids, func(o model.PartOwner) {
		for _, p := range of[o.UID] {
			if o.Owns(p) {
				l.jobs[p.ID], l.owned[p.ID] = o.Job, true
			}
		}
	})
}

// byLabels finds the jobs of pods without one by the labels of operators. Of several jobs that had
// the label, the newest one that is not younger than the pod counts.
func (l *linker) byLabels(ctx context.Context, all []model.Part) error {
	values := map[int64][]string{} // by cluster
	for i := range all {
		if p := &all[i]; p.Pod && l.jobs[p.ID] == 0 {
			for name, value := range p.Labels {
				if job.IsPodLabel(name) {
					values[p.Cluster] = append(values[p.Cluster], value)
				}
			}
		}
	}
	jobs := map[model.Label][]model.PartOwner{}
	for cluster, some := range values {
		slices.Sort(some)
		err := model.JobsWithPodLabels(ctx, l.tx, cluster, slices.Compact(some), func(label model.Label, o model.PartOwner) { jobs[label] = append(jobs[label], o) })
		if err != nil {
			return err
		}
	}
	for i := range all {
		p := &all[i]
		if !p.Pod || l.owned[p.ID] {
			continue
		}
		for name, value := range p.Labels {
			for _, o := range jobs[model.Label{Name: name, Value: value}] {
				if o.Owns(p) && o.CreatedAt <= p.CreatedAt {
					l.jobs[p.ID] = max(l.jobs[p.ID], o.Job)
				}
			}
		}
	}
	return nil
}

// marked finds the jobs of pods that have the label of the operator of a new job and were
// recorded before it, and returns the pods.
func (l *linker) marked(ctx context.Context, jobs []Job) ([]model.Part, error) {
	var labels []model.Label
	for i := range jobs {
		if f := jobs[i].Facts; f != nil && f.PodLabel != "" {
			labels = append(labels, model.Label{Name: f.PodLabel, Value: f.PodLabelValue})
		}
	}
	pods, err := model.PodsWithoutJob(ctx, l.tx, labels)
	for i := range pods {
		p := &pods[i]
		for k := range jobs {
			j := &jobs[k]
			o := model.PartOwner{Cluster: j.Cluster, Job: j.ID, Namespace: j.Namespace}
			if f := j.Facts; l.jobs[p.ID] == 0 && f != nil && f.PodLabel != "" && p.Labels[f.PodLabel] == f.PodLabelValue && o.Owns(p) && j.CreatedAt <= p.CreatedAt {
				l.jobs[p.ID] = j.ID
			}
		}
	}
	return pods, err
}

// descend stores the jobs that were found, and finds the jobs of open parts below them.
func (l *linker) descend(ctx context.Context, all []model.Part, jobs []Job) error {
	parents := map[string]model.PartOwner{}
	for i := range jobs {
		parents[jobs[i].UID] = model.PartOwner{Cluster: jobs[i].Cluster, Job: jobs[i].ID, Namespace: jobs[i].Namespace}
	}
	for i := range all {
		if p := &all[i]; l.jobs[p.ID] != 0 {
			parents[p.UID] = model.PartOwner{Cluster: p.Cluster, Job: l.jobs[p.ID], Namespace: p.Namespace}
		}
	}
	for range maxSteps {
		if err := l.store(ctx); err != nil || len(parents) == 0 {
			return err
		}
		uids := make([]string, 0, len(parents))
		for uid := range parents {
			uids = append(uids, uid)
		}
		slices.Sort(uids)
		open, err := model.OpenParts(ctx, l.tx, uids)
		if err != nil {
			return err
		}
		next := map[string]model.PartOwner{}
		for i := range open {
			p := &open[i]
			if o := parents[p.Owner.UID]; o.Owns(p) {
				l.jobs[p.ID], l.owned[p.ID] = o.Job, true
				next[p.UID] = model.PartOwner{Cluster: p.Cluster, Job: o.Job, Namespace: p.Namespace}
			}
		}
		parents = next
	}
	return l.store(ctx)
}

// store stores the jobs that were found.
func (l *linker) store(ctx context.Context) error {
	if len(l.jobs) == 0 {
		return nil
	}
	for _, of := range l.jobs {
		l.changed[of] = true
	}
	if err := model.SetJobs(ctx, l.tx, l.jobs, func(of int64) { l.changed[of] = true }); err != nil {
		return err
	}
	l.jobs = map[int64]int64{}
	owned := model.SortedIDs(l.owned)
	l.owned = map[int64]bool{}
	return model.CloseParts(ctx, l.tx, owned)
}
