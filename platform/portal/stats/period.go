package stats

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

const (
	// maxBuckets is the maximum number of intervals of a period.
	maxBuckets = 100
	// maxOwners and maxQueues are the maximum numbers of owners and queues in an answer.
	maxOwners = 100
	maxQueues = 200
	maxCauses = 100
)

// period sums up the jobs of a window.
type period struct {
	grid     grid
	end      time.Time // open spans last until then
	ended    int
	outcomes map[job.State]int
	waited   []time.Duration
	ran      []time.Duration
	hours    api.GPUHours
	buckets  []bucket
	causes   map[string]int
	owners   map[string]*share
	queues   map[string]*share
}

type bucket struct {
	waited, ran []time.Duration
	outcomes    map[string]int
	hours       api.GPUHours
}

// share has the sums of an owner or a queue.
type share struct {
	jobs, failed int
	waited       []time.Duration
	hours        api.GPUHours
}

func newPeriod(w Window, end time.Time) *period {
	p := &period{grid: newGrid(w, maxBuckets), end: end, outcomes: map[job.State]int{}, causes: map[string]int{}, owners: map[string]*share{}, queues: map[string]*share{}}
	p.buckets = make([]bucket, p.grid.n)
	return p
}

// shareOf returns the share of a word, and adds it if it does not exist.
func shareOf(all map[string]*share, word string) *share {
	s := all[word]
	if s == nil {
		s = &share{}
		all[word] = s
	}
	return s
}

// add adds a job that existed in the window.
func (p *period) add(r *jobindex.Row, cause func(*jobindex.Row) string) {
	owner, queue := shareOf(p.owners, r.Owner), shareOf(p.queues, r.Queue)
	if at, waited := r.Started, r.FirstWait; p.grid.has(at) {
		p.waited = append(p.waited, waited)
		queue.waited = append(queue.waited, waited)
		b := &p.buckets[p.grid.bucket(at)]
		b.waited = append(b.waited, waited)
	}
	if at := endOf(r); p.grid.has(at) {
		p.ended++
		p.outcomes[r.State]++
		b := &p.buckets[p.grid.bucket(at)]
		if b.outcomes == nil {
			b.outcomes = map[string]int{}
		}
		b.outcomes[string(r.State)]++
		if r.Ran > 0 {
			p.ran, b.ran = append(p.ran, r.Ran), append(b.ran, r.Ran)
		}
		owner.jobs, queue.jobs = owner.jobs+1, queue.jobs+1
		if r.State == job.Failed {
			owner.failed, queue.failed = owner.failed+1, queue.failed+1
			p.causes[cause(r)]++
		}
	}
	if r.GPUs > 0 {
		p.addHours(r, owner, queue)
	}
}

// addHours adds the GPU hours of a job.
func (p *period) addHours(r *jobindex.Row, owner, queue *share) {
	g := &p.grid
	low, high := g.From.Sub(g.first), g.To.Sub(g.first)
	perHour := float64(r.GPUs) / float64(time.Hour)
	for i := range r.Life {
		s := &r.Life[i]
		running := s.State == job.Running
		if !running && !s.State.Waits() {
			continue
		}
		to := s.To
		if to.IsZero() {
			to = p.end
		}
		// The part within the window, relative to the beginning of the grid.
		begin, end := max(low, s.From.Sub(g.first)), min(high, to.Sub(g.first))
		if begin >= end {
			continue
		}
		for j := int(begin / g.step); j < g.n && time.Duration(j)*g.step < end; j++ {
			part := min(end, time.Duration(j+1)*g.step) - max(begin, time.Duration(j)*g.step)
			addTo(&p.buckets[j].hours, running, float64(part)*perHour)
		}
		hours := float64(end-begin) * perHour
		addTo(&p.hours, running, hours)
		addTo(&owner.hours, running, hours)
		addTo(&queue.hours, running, hours)
	}
}

func addTo(sum *api.GPUHours, running bool, hours float64) {
	if running {
		sum.Ran += hours
	} else {
		sum.Waited += hours
	}
}

// answer returns the sums.
func (p *period) answer() *api.Period {
	a := &api.Period{
		Ended: p.ended, Outcomes: map[string]int{}, Waited: spreadOf(p.waited), Ran: spreadOf(p.ran), GPUHours: p.hours, Step: p.grid.step.Seconds(),
		Buckets: []api.StatsBucket{}, Causes: p.sortedCauses(), Owners: p.sortedOwners(), Queues: p.sortedQueues(), Nodes: []api.NodeShare{},
	}
	for s, n := range p.outcomes {
		a.Outcomes[string(s)] = n
	}
	for i := range p.buckets {
		b := &p.buckets[i]
		if b.outcomes == nil {
			b.outcomes = map[string]int{}
		}
		a.Buckets = append(a.Buckets, api.StatsBucket{From: p.grid.begin(i), Waited: spreadOf(b.waited), Ran: spreadOf(b.ran), Outcomes: b.outcomes, GPUHours: b.hours})
	}
	return a
}

// sortedCauses returns the causes, the most frequent first. Causes beyond a limit are summed up
// under an empty word.
func (p *period) sortedCauses() []api.Share {
	all := []api.Share{}
	for word, n := range p.causes {
		all = append(all, api.Share{Word: word, Count: n})
	}
	slices.SortFunc(all, func(a, b api.Share) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word)) })
	if len(all) > maxCauses {
		rest := 0
		for _, s := range all[maxCauses-1:] {
			rest += s.Count
		}
		all = append(all[:maxCauses-1], api.Share{Count: rest})
	}
	return all
}

// sortedOwners returns the owners by GPU hours run. If there are too many, the last row is the sum
// of the rest.
func (p *period) sortedOwners() []api.OwnerShare {
	all := []api.OwnerShare{}
	for _, owner := range byHours(p.owners) {
		s := p.owners[owner]
		row := api.OwnerShare{Owner: owner, Jobs: s.jobs, Failed: s.failed, GPUHours: s.hours}
		if len(all) < maxOwners {
			all = append(all, row)
			continue
		}
		last := &all[maxOwners-1]
		if last.Owners == 0 {
			last.Owner, last.Owners = "", 1
		}
		last.Owners++
		last.Jobs, last.Failed = last.Jobs+row.Jobs, last.Failed+row.Failed
		last.Waited, last.Ran = last.Waited+row.Waited, last.Ran+row.Ran
	}
	return all
}

// sortedQueues returns the queues by GPU hours run.
func (p *period) sortedQueues() []api.QueueShare {
	all := []api.QueueShare{}
	for _, queue := range byHours(p.queues) {
		if s := p.queues[queue]; len(all) < maxQueues {
			all = append(all, api.QueueShare{Queue: queue, Jobs: s.jobs, Failed: s.failed, Waited: spreadOf(s.waited), GPUHours: s.hours})
		}
	}
	return all
}

// byHours returns the words sorted by GPU hours run, then by jobs. It omits words without either.
func byHours(shares map[string]*share) []string {
	words := slices.Collect(maps.Keys(shares))
	words = slices.DeleteFunc(words, func(w string) bool {
		s := shares[w]
		return s.jobs == 0 && s.hours == (api.GPUHours{}) && len(s.waited) == 0
	})
	slices.SortFunc(words, func(a, b string) int {
		x, y := shares[a], shares[b]
		return cmp.Or(cmp.Compare(y.hours.Ran, x.hours.Ran), cmp.Compare(y.jobs, x.jobs), cmp.Compare(a, b))
	})
	return words
}
