package jobindex

import (
	"math"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// View is one consistent state of the index. It is valid until the function passed to
// Index.View returns. One goroutine uses it.
type View struct {
	table *table
	now   time.Time
	moments
}

// moments has the buffers with which a view builds rows.
type moments struct {
	momentReader
	labels map[uint32]map[string]string // of sets that rows share
}

func newView(t *table, now time.Time) *View {
	v := &View{table: t, now: now}
	v.moments = moments{momentReader: momentReader{table: t}, labels: map[uint32]map[string]string{}}
	return v
}

// Now returns the time at which open spans end.
func (v *View) Now() time.Time { return v.now }

// Position returns the position in the feed that the view includes.
func (v *View) Position() feed.Position { return v.table.position }

// Len returns the number of jobs.
func (v *View) Len() int { return v.table.len() }

// Gaps returns the open gaps, in the order in which they were recorded: times in which a
// scope was not watched, and that are not healed. The caller must not change them.
func (v *View) Gaps() []history.Gap { return v.table.gaps }

// Job returns the row of the job with a UID as of an instant; zero means now. cluster is
// the name or the UID of a cluster. It returns false if the job did not exist.
func (v *View) Job(cluster, uid string, at time.Time) (Row, bool) {
	t := v.table
	newest, found := uint32(0), false
	t.byUID.find(t.hashUID(uid), func(row uint32) bool {
		if _, u := t.name(row); u == uid && v.inCluster(row, cluster) && (!found || t.id[row] > t.id[newest]) {
			newest, found = row, true
		}
		return false
	})
	i := v.instant(at)
	if !found || i.past && t.submitted[newest] > i.at {
		return Row{}, false
	}
	return v.row(newest, i), true
}

// inCluster reports whether a job is in a cluster with a name or a UID; empty means any.
func (v *View) inCluster(row uint32, nameOrUID string) bool {
	c := &v.table.clusters[v.table.places[v.table.place[row]].cluster]
	return nameOrUID == "" || c.name == nameOrUID || c.uid == nameOrUID
}

// ByID returns the row of the job with a row ID of the database.
func (v *View) ByID(id int64) (Row, bool) {
	row, ok := v.table.find(id)
	if !ok {
		return Row{}, false
	}
	return v.row(row, v.instant(time.Time{})), true
}

// Newest returns the row of the newest job with a name. cluster is the name or the UID of
// a cluster; empty means any.
func (v *View) Newest(cluster, typ, namespace, name string) (Row, bool) {
	t := v.table
	places, kinds := make([]bool, len(t.places)), make([]bool, len(t.kinds))
	for i, p := range t.places {
		c := &t.clusters[p.cluster]
		places[i] = t.namespaces.all[p.namespace] == namespace && (cluster == "" || c.name == cluster || c.uid == cluster)
	}
	for i, k := range t.kinds {
		kinds[i] = k.typ == typ
	}
	for i := len(t.order) - 1; i >= 0; i-- {
		row := t.order[i]
		if !places[t.place[row]] || !kinds[t.kind[row]] {
			continue
		}
		if n, _ := t.name(row); n == name {
			return v.row(row, v.instant(time.Time{})), true
		}
	}
	return Row{}, false
}

// Scope is a type of jobs in a namespace of a cluster.
type Scope struct {
	Cluster, ClusterUID string
	Type, Kind          string
	Namespace           string
	Jobs                int // at least 1
}

// Scopes returns all scopes with jobs, in any order. It is much faster than Each.
func (v *View) Scopes() (all []Scope) {
	t := v.table
	counts := make([]int, len(t.places)*len(t.kinds))
	for _, row := range t.order {
		counts[int(t.place[row])*len(t.kinds)+int(t.kind[row])]++
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		p, k := t.places[i/len(t.kinds)], t.kinds[i%len(t.kinds)]
		c := &t.clusters[p.cluster]
		all = append(all, Scope{Cluster: c.name, ClusterUID: c.uid, Type: k.typ, Kind: k.kind, Namespace: t.namespaces.all[p.namespace], Jobs: n})
	}
	return all
}

// instant returns the instant of a time of a query.
func (v *View) instant(at time.Time) instant {
	if at.IsZero() {
		return instant{at: v.now.UnixMicro()}
	}
	return instant{at: at.UnixMicro(), past: true}
}

// row returns a row that shares only labels with the table.
func (v *View) row(row uint32, i instant) Row {
	var m moment
	v.read(row, i, &m)
	var r Row
	v.fill(row, i, &m, &r)
	v.complete(row, i, &m, &r)
	r.Name, r.UID = strings.Clone(r.Name), strings.Clone(r.UID)
	return r
}

// fill sets the row of a moment, without labels and life. It keeps the array of r.Life.
func (v *View) fill(row uint32, i instant, m *moment, r *Row) {
	t := v.table
	p, k := t.places[t.place[row]], t.kinds[t.kind[row]]
	name, uid := t.name(row)
	*r = Row{
		ID: t.id[row], Cluster: t.clusters[p.cluster].name, ClusterUID: t.clusters[p.cluster].uid, Type: k.typ, Kind: k.kind, Namespace: t.namespaces.all[p.namespace],
		Name: name, UID: uid, Queue: t.queues.all[t.queue[row]], Owner: t.owners.all[t.owner[row]], Priority: t.priorities.all[t.priority[row]],
		State: t.states.all[m.state], Submitted: timeOf(t.submitted[row]), Since: timeOf(m.since), Ended: timeOf(m.ended), Deleted: timeOf(m.deleted),
		Waited: time.Duration(m.waited) * time.Microsecond, Ran: time.Duration(m.ran) * time.Microsecond, Tries: m.tries, GPUs: int(t.gpus[row]), Pods: int(t.pods[row]),
		Presence: history.Presence(m.presence), Version: wire.Version(t.version[row]), Life: r.Life[:0],
	}
	if !m.changed {
		r.Reason = t.reasons.all[m.reason]
	}
}

// complete adds the labels and the life to a row.
func (v *View) complete(row uint32, i instant, m *moment, r *Row) {
	r.Labels = v.labelsOf(row, r.Name, r.UID)
	v.spans(row, i, m, r)
}

// Complete adds the labels and the life to a row of a brief query with this At.
func (v *View) Complete(r *Row, at time.Time) {
	if row, ok := v.table.find(r.ID); ok {
		var m moment
		i := v.instant(at)
		v.read(row, i, &m)
		v.complete(row, i, &m, r)
	}
}

// maxLabelSets is the maximum number of sets of labels that a view caches.
const maxLabelSets = 4096

// labelsOf returns the labels of a row.
func (v *View) labelsOf(row uint32, name, uid string) map[string]string {
	t := v.table
	set := t.labels[row]
	if t.sets.varied[set] || set == 0 {
		return t.sets.of(set, strings.Clone(name), strings.Clone(uid))
	}
	all, ok := v.labels[set]
	if !ok {
		all = t.sets.of(set, name, uid)
		if len(v.labels) < maxLabelSets {
			v.labels[set] = all
		}
	}
	return all
}

// never is later than all times.
const never = math.MaxInt64
