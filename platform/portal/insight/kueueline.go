package insight

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// around is the number of jobs of a line that are listed.
const around = 20

// lineOf describes a line with a job in it. It returns nil if the job is not in the line.
func lineOf(line []holder, self *workload, queue, resource string, now time.Time) *api.Line {
	place := slices.IndexFunc(line, func(h holder) bool { return h.workload == self })
	if place < 0 {
		return nil
	}
	l := &api.Line{Queue: queue, Place: place + 1, Length: len(line), AheadJobs: place, Jobs: []api.LineJob{}}
	first := max(0, min(place-around/2-2, len(line)-around))
	for i, h := range line {
		if i < place {
			l.Ahead += h.needs[resource]
		}
		switch {
		case !h.seen:
			l.Hidden++
		case i >= first && i < first+around:
			l.Jobs = append(l.Jobs, h.lineJob(i+1, h.workload == self, now))
		}
	}
	return l
}

// lineJob describes a job in a line.
func (h *holder) lineJob(place int, self bool, now time.Time) api.LineJob {
	j := api.LineJob{
		Place: place, Job: api.JobRef{UID: h.jobUID, Namespace: h.namespace, Name: h.jobName},
		Waited: now.Sub(h.order).Seconds(), Priority: h.class, Self: self,
	}
	for name, n := range h.needs {
		if isGPU(name) {
			j.GPUs += int(n)
		}
	}
	if h.known {
		j.Job.Cluster, j.Job.Type, j.Job.Name, j.Owner = h.row.Cluster, h.row.Type, h.row.Name, h.row.Owner
	}
	return j
}

// higher counts the jobs before a place whose priority is higher than that of the job at the
// place.
func higher(line []holder, place int) (n int) {
	for _, h := range line[:place-1] {
		if h.priority > line[place-1].priority {
			n++
		}
	}
	return n
}

// placeAt returns the place in line of a workload at an instant. rows are the jobs that waited
// in the queue then. A job without an open workload has the priority of other workloads of its
// class. placeAt returns 0 if the workload did not wait yet, and false if a priority is
// unknown.
func placeAt(k *kueueWorld, self *workload, rows []jobindex.Row, at time.Time) (place int, known bool) {
	if self.order.After(at) {
		return 0, true
	}
	open, classes := map[string]*workload{}, map[string]int64{}
	for _, w := range k.workloads {
		if w.jobUID != "" {
			open[w.jobKey()] = w
		}
		if other, ok := classes[w.class]; ok && other != w.priority {
			delete(classes, w.class)
			return 0, false // a class whose value has changed
		}
		classes[w.class] = w.priority
	}
	place = 1
	for _, r := range rows {
		then := open[jobKey(r.Namespace, r.UID)]
		if then == self {
			continue
		}
		if then == nil {
			priority, ok := classes[r.Priority]
			if !ok {
				return 0, false
			}
			then = &workload{uid: r.UID, priority: priority, order: r.Submitted}
		}
		if then.compare(self) < 0 {
			place++
		}
	}
	return place, true
}
