package dropin_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table returns a Markdown table of the results, one column each.
func table(results []*result) string {
	var b strings.Builder
	row := func(name string, cell func(*result) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range results {
			fmt.Fprintf(&b, " %s |", cell(r))
		}
		b.WriteByte('\n')
	}
	row("measure", func(r *result) string { return r.factory })
	b.WriteString("|---|" + strings.Repeat("---|", len(results)) + "\n")
	row("workload until everything is rolled out, s", func(r *result) string { return fmt.Sprintf("%.1f", r.took.Seconds()) })
	for _, name := range []string{scheduler, manager} {
		row(name+": CPU of the workload, s", func(r *result) string { return seconds(r.worked[name].CPU) })
		row(name+": objects that our informers decoded", func(r *result) string { u := r.worked[name]; return fmt.Sprint(u.decoded()) })
		row(name+": heap after the workload, MB", func(r *result) string { return megabytes(r.worked[name].Heap) })
		row(name+": peak resident, MB", func(r *result) string { return megabytes(r.worked[name].Peak) })
		row(name+": restart until ready, s", func(r *result) string { return seconds(r.again[name].Wall) })
		row(name+": CPU of the restart, s", func(r *result) string { return seconds(r.again[name].CPU) })
		row(name+": peak resident of the restart, MB", func(r *result) string { return megabytes(r.again[name].Peak) })
		row(name+": heap after the restart, MB", func(r *result) string { return megabytes(r.settled[name].Heap) })
	}
	row("requests of all programs", func(r *result) string { return fmt.Sprint(r.requests.All) })
	row("lists, watches", func(r *result) string { return fmt.Sprintf("%d, %d", r.requests.Lists, r.requests.Watches) })
	row("writes, conflicts", func(r *result) string { return fmt.Sprintf("%d, %d", r.requests.Writes, r.requests.Conflicts) })
	reasons := map[string]bool{}
	for _, r := range results {
		for reason := range r.events {
			reasons[reason] = true
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		row("events: "+reason, func(r *result) string { return fmt.Sprint(r.events[reason]) })
	}
	return b.String()
}

func seconds(ms int64) string { return fmt.Sprintf("%.2f", float64(ms)/1000) }

func megabytes(bytes uint64) string { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }
