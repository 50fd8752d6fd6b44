package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
)

// row is one figure of the report.
type row struct {
	name string
	of   func(r *result, pods int) float64
}

var rows = []row{
	{"wall, s", func(r *result, _ int) float64 { return r.Wall.Seconds() }},
	{"CPU per pod, us", func(r *result, n int) float64 { return r.CPU.Seconds() * 1e6 / float64(n) }},
	{"live heap per pod, B", func(r *result, n int) float64 { return float64(r.Heap) / float64(n) }},
	{"peak RSS, MB", func(r *result, _ int) float64 { return float64(r.Peak) / 1e6 }},
	{"allocated per pod, B", func(r *result, n int) float64 { return float64(r.Alloc) / float64(n) }},
	{"allocations per pod", func(r *result, n int) float64 { return float64(r.Mallocs) / float64(n) }},
}

// report prints medians, and ours as a part of client-go's.
func report(w io.Writer, pods, rounds int, sizes string, results map[string][]result) error {
	fmt.Fprintf(w, "First sync of %d pods (%s) by a streaming list, median of %d; %s, %d processors\n\n",
		pods, sizes, rounds, runtime.Version(), runtime.NumCPU())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i := 0; i < len(contestants); i += 2 {
		ours, theirs := contestants[i], contestants[i+1]
		fmt.Fprintf(t, "\t%s\t%s\tratio\t\n", ours, theirs)
		for _, row := range rows {
			a, b := median(results[ours], pods, row), median(results[theirs], pods, row)
			fmt.Fprintf(t, "%s\t%.1f\t%.1f\t1/%.1f\t\n", row.name, a, b, b/a)
		}
		fmt.Fprintln(t, "\t\t\t\t")
	}
	return t.Flush()
}

func median(results []result, pods int, row row) float64 {
	values := make([]float64, 0, len(results))
	for i := range results {
		values = append(values, row.of(&results[i], pods))
	}
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}
