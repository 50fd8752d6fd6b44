package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/vedette-io/vedette/bench/scenario"
)

// Diff writes the figures that two runs have in common side by side.
func Diff(w io.Writer, a, b *Run) error {
	for i, r := range []*Run{a, b} {
		fmt.Fprintf(w, "%c: %s, %v, %s\n", 'A'+i, r.Date.Format("2006-01-02 15:04"), r.Versions, r.Machine)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tcase\tcontestant\tfigure\tA\tB\tB of A")
	n := 0
	for _, s := range scenario.All {
		for _, at := range a.spots(s.Name) {
			for _, f := range s.Figures {
				was, ok := a.at(at, f)
				is, also := b.at(at, f)
				if !ok || !also {
					continue
				}
				n++
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s %s\t%s %s\t%s\n", at.scenario, at.name, at.contestant, f.Title,
					format(was.median, f.Unit), was.spread(), format(is.median, f.Unit), is.spread(), percent(was.median, is.median))
			}
		}
	}
	if n == 0 {
		return fmt.Errorf("the two runs have no figure in common")
	}
	return t.Flush()
}

func percent(was, is float64) string {
	if was == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*is/was)
}
