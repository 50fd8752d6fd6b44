package insight

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
	"github.com/vedette-io/vedette/wire"
)

// Reasons reads a message of the scheduler.
func Reasons(message string) (fit, all int, reasons map[string]int, ok bool) {
	p, ok := readPlacement(message)
	reasons = map[string]int{}
	for _, r := range p.reasons {
		reasons[r.reason] += r.nodes
	}
	return p.fit, p.all, reasons, ok
}

// PlacementSentence returns the sentence about a message of the scheduler.
func PlacementSentence(message, language string) string {
	p, _ := readPlacement(message)
	return p.sentence(words.Of(language))
}

// GangSentence returns the sentences about a message of Volcano.
func GangSentence(message, language string) string {
	g, ok := readGang(message)
	if !ok {
		return "no gang"
	}
	s := words.Of(language)
	return s.Join(g.sentences(s)...)
}

// Like returns the number of jobs that are compared with a job of a size, and their
// description.
func Like(all []likely.Wait, gpus int) (jobs int, what string) {
	of, size := like(all, gpus)
	return len(of), size.what(words.Of("en"), "gpu-h100")
}

// ReadAll reads a body as each of the objects that the package knows.
func ReadAll(body []byte) {
	o := job.ParseObject(body)
	w := readWorkload(o)
	q := readClusterQueue(o)
	_ = quotaOf(q, w.needs, nil, words.Of("en"))
	_ = readLocalQueue(o)
	_ = readVolcanoQueue(o).quota(readPodGroup(o).needs, words.Of("en"))
	for _, e := range job.Endings(o) {
		_ = sentenceOf(&e, words.Of("zh"))
	}
}

// Waiter is a workload of a test. Queue is the name of its LocalQueue and its ClusterQueue;
// "none" is not recorded.
type Waiter struct {
	UID, Job, Queue    string
	Namespace          string // default "ml"
	Priority           int64
	Created            time.Time
	Reserved, Inactive bool
}

// PlacesIn returns the places of the jobs of workloads.
func PlacesIn(all []Waiter) map[string]int {
	places := map[string]int{}
	for key, place := range placesIn(worldOf(all)) {
		if uid, ok := strings.CutPrefix(key, "ml/"); ok {
			places[uid] = place
		}
	}
	return places
}

func worldOf(all []Waiter) *kueueWorld {
	k := &kueueWorld{clusterQueues: map[string]*clusterQueue{}, localQueues: map[wire.Key]*localQueue{}}
	for _, w := range all {
		if w.Queue != "none" && k.clusterQueues[w.Queue] == nil {
			k.add(&clusterQueue{name: w.Queue})
			k.add(&localQueue{namespace: "ml", name: w.Queue, clusterQueue: w.Queue})
		}
		k.add(&workload{uid: w.UID, namespace: cmp.Or(w.Namespace, "ml"), jobUID: w.Job, queue: w.Queue, priority: w.Priority, created: w.Created, order: w.Created, reserved: w.Reserved, inactive: w.Inactive})
	}
	return k
}

// LineBook is a book of lines with one cluster, which a function reads: the place of one
// job.
type LineBook struct{ *lineBook }

// NewLineBook returns a book of lines.
func NewLineBook(read func() (job string, place int)) LineBook {
	return LineBook{newLineBook(func(context.Context, string) (*kueueWorld, error) {
		job, place := read()
		var all []Waiter
		for i := range place {
			all = append(all, Waiter{UID: string(rune('a' + i)), Job: string(rune('a' + i)), Queue: "q"})
		}
		all[place-1].Job = job
		k := worldOf(all)
		k.readAt = time.Now()
		return k, nil
	}, time.Now)}
}

func (b LineBook) Places(ctx context.Context, rows []jobindex.Row) (map[int64]int, error) {
	return b.places(ctx, rows)
}

func (b LineBook) Kept(rows []jobindex.Row) map[int64]int { return b.kept(rows) }

func (b LineBook) Run(ctx context.Context) { b.run(ctx) }

// Roomier returns the proposed limit for a container with a limit; "" for none.
func Roomier(limit string) string {
	if m := repairOf(&job.Ending{Cause: job.CauseOOMKilled, Memory: limit}); m != nil {
		return m.Proposed
	}
	return ""
}
