package jobview

import (
	"cmp"
	"slices"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Sources returns the containers that have lines, in the order of the attempts. set may be nil.
func Sources(set *PodSet, logs []joblog.Log) []api.LogSource {
	var runs []run
	var first map[string]int
	if set != nil {
		runs, first = slices.Clone(set.runs), set.first
	}
	all := []api.LogSource{}
	for _, r := range withLogs(runs, logs, first) {
		all = append(all, api.LogSource{Pod: r.pod, Container: r.Container, Attempt: r.attempt, Live: !r.Over})
	}
	slices.SortStableFunc(all, func(x, y api.LogSource) int {
		return cmp.Or(cmp.Compare(x.Attempt, y.Attempt), cmp.Compare(len(x.Pod), len(y.Pod)), cmp.Compare(x.Pod, y.Pod))
	})
	return all
}

// Kept describes the kept logs. set has the numbers of the attempts, and may be nil.
func Kept(set *PodSet, logs []joblog.Log) []api.KeptLog {
	all := make([]api.KeptLog, len(logs))
	for i := range logs {
		l := &logs[i]
		first := 1
		if set != nil && set.first[l.PodUID] > 0 {
			first = set.first[l.PodUID]
		}
		missing := l.LostLines
		if missing == 0 && (l.Lost != "" || !l.Removed.IsZero()) {
			missing = -1
		}
		all[i] = api.KeptLog{
			LogSource: api.LogSource{Pod: l.Pod, Container: l.Container, Attempt: first + l.Restart},
			At:        instant(l.Fetched), Lines: l.Lines, Missing: missing,
		}
	}
	return all
}
