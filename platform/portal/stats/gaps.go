package stats

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

const (
	// maxGaps is the maximum number of gaps in an answer; it has the latest ones.
	maxGaps = 200
	// maxFound is the maximum number of transitions to count after a gap.
	maxFound = 5000
	// maxKept is the maximum number of gaps with cached counts.
	maxKept = 1000
	// maxCounted is the maximum number of gaps without cached counts that a request counts.
	maxCounted = 10
	// settling is how long the count of a gap may change after its end.
	settling = time.Minute
)

// gapReader counts the transitions found after gaps. It caches the counts of ended gaps.
type gapReader struct {
	history *history.History
	now     func() time.Time

	mu   sync.Mutex
	kept map[int64]map[string]int // transitions by namespace; nil: too many
}

// sees reports whether a person sees jobs of the type of a gap in a namespace that were created at a
// time.
type sees func(gap *history.Gap, namespace string, created time.Time) bool

func seesOf(q *jobindex.Query) sees {
	return func(gap *history.Gap, namespace string, created time.Time) bool {
		if q.Sees != nil && !q.Sees(gap.Cluster, namespace) {
			return false
		}
		if q.Since == nil {
			return true
		}
		since, some := q.Since(gap.Cluster, gap.ClusterUID, gap.Type.String(), namespace)
		return some && !created.Before(since)
	}
}

// gapEnd returns the end of a gap, or the end of a window if it is open.
func gapEnd(gap *history.Gap, until time.Time) time.Time {
	if gap.Ended.IsZero() {
		return until
	}
	return gap.Ended
}

// list describes the gaps of a window that the person may see, in the order of recording.
func (g *gapReader) list(ctx context.Context, all []history.Gap, w Window, sees sees, language string) ([]api.Gap, error) {
	found := []api.Gap{}
	for _, gap := range all { // those of other types affect no rows
		if !gap.Began.Before(w.To) || !gap.Ended.IsZero() && !gap.Ended.After(w.From) || gap.Namespace != "" && !sees(&gap, gap.Namespace, gapEnd(&gap, w.To)) || !job.IsJobType(gap.Type.String()) {
			continue
		}
		found = append(found, api.Gap{
			ID: gap.ID, Cluster: gap.Cluster, Type: gap.Type.String(), Namespace: gap.Namespace, From: gap.Began, To: gap.Ended,
			Cause: causeOfGap(gap.Cause, language), Detail: detailOf(&gap, sees), Changes: -1, Closed: !gap.Ended.IsZero(),
		})
	}
	found = found[max(0, len(found)-maxGaps):]
	byID := map[int64]*api.Gap{}
	for i := range found {
		byID[found[i].ID] = &found[i]
	}
	left := maxCounted
	for i := len(all) - 1; i >= 0; i-- { // the latest ones first
		row := byID[all[i].ID]
		if row == nil || all[i].Ended.IsZero() || g.history == nil {
			continue
		}
		counts, known := g.keptCounts(all[i].ID)
		if !known {
			if left--; left < 0 {
				continue
			}
			var err error
			if counts, err = g.found(ctx, &all[i]); err != nil {
				return nil, err
			}
		}
		if counts != nil {
			row.Changes = 0
		}
		for namespace, n := range counts {
			if sees(&all[i], namespace, all[i].Began) {
				row.Changes += n
			}
		}
	}
	return found, nil
}

// detailOf returns the detail of a gap for a person. It may name an object, so the person must see all
// namespaces of the gap, the empty one means all, and what they had when it began.
func detailOf(gap *history.Gap, sees sees) string {
	if !sees(gap, gap.Namespace, gap.Began) {
		return ""
	}
	return gap.Detail
}

// keptCounts returns the cached counts of a gap.
func (g *gapReader) keptCounts(id int64) (map[string]int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	counts, ok := g.kept[id]
	return counts, ok
}

// found counts, by namespace, the transitions that the list after a gap showed. It returns nil if
// there are too many.
func (g *gapReader) found(ctx context.Context, gap *history.Gap) (map[string]int, error) {
	counts := map[string]int{}
	f := history.Filter{
		Cluster: cmp.Or(gap.ClusterUID, gap.Cluster), Types: []history.Type{gap.Type}, Namespace: gap.Namespace,
		Since: gap.Began, Until: gap.Ended.Add(settling),
	}
	read := 0
	for c, err := range history.All(ctx, history.Paging{Limit: 1000, Order: history.OldestFirst}, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return g.history.ListTransitions(ctx, f, p)
	}) {
		if err != nil {
			return nil, err
		}
		if read++; read > maxFound {
			counts = nil
			break
		}
		if c.Source == history.Relisted && !c.Seen.Before(gap.Ended.Add(-time.Second)) {
			counts[c.Object.Namespace]++
		}
	}
	if g.now().After(gap.Ended.Add(2 * settling)) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.kept == nil || len(g.kept) >= maxKept {
			g.kept = map[int64]map[string]int{}
		}
		g.kept[gap.ID] = counts
	}
	return counts, nil
}

// causeOfGap describes the cause of a gap in words.
func causeOfGap(cause, language string) string {
	words := gapCauses[language]
	if words == nil {
		words = gapCauses["en"]
	}
	return cmp.Or(words[cause], cause)
}

// gapCauses has the causes of gaps in words, by language.
var gapCauses = map[string]map[string]string{
	"en": {
		history.CauseWindow:    "API server unreachable or its changes expired",
		history.CauseDenied:    "the recorder lacked the rights",
		history.CauseAbsent:    "the API server did not serve the type",
		history.CauseRebuilt:   "another cluster answered",
		history.CauseRestored:  "the cluster was restored from a backup",
		history.CauseInvalid:   "an object could not be read",
		history.CauseRefused:   "the database refused a revision or its content",
		history.CauseUnordered: "versions were not in order",
	},
	"zh": {
		history.CauseWindow:    "API server 不可达，或其变化已过期",
		history.CauseDenied:    "记录器没有权限",
		history.CauseAbsent:    "API server 不提供该类型",
		history.CauseRebuilt:   "另一个集群应答",
		history.CauseRestored:  "集群已从备份恢复",
		history.CauseInvalid:   "有对象无法读取",
		history.CauseRefused:   "数据库拒绝了一个修订版本或其内容",
		history.CauseUnordered: "版本没有顺序",
	},
}
