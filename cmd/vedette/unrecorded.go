package main

import (
	"context"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/history"
)

// sayUnrecorded says on standard error which parts of the history are not current, in a cluster
// or in all. A part that cannot be read is left out: the command has printed what it was asked
// for.
func sayUnrecorded(ctx context.Context, con *console.Console, h *source.History, cluster string) {
	all, err := h.Unrecorded(ctx)
	if err != nil {
		return
	}
	for _, text := range unrecordedTexts(all, cluster, time.Now()) {
		con.Say("%s", text)
	}
}

// unrecordedTexts returns a sentence for each cluster that is not current. Nothing is old in a
// database without heartbeats.
func unrecordedTexts(all []history.Unrecorded, cluster string, now time.Time) (texts []string) {
	for i := 0; i < len(all); {
		first, types := &all[i], []string{}
		for ; i < len(all) && all[i].Cluster == first.Cluster && all[i].Behind == first.Behind; i++ {
			if t := all[i].Type; t.Resource != "" {
				types = append(types, t.String())
			}
		}
		if first.Cluster == "" || cluster != "" && first.Cluster != cluster {
			continue
		}
		what := first.Cluster
		if len(types) > 0 {
			what = strings.Join(types, ", ") + " of " + first.Cluster
		}
		age := units.Duration(now.Sub(first.Since))
		if first.Behind {
			texts = append(texts, what+": the recorder is behind by "+age)
		} else {
			texts = append(texts, what+": not recorded since "+units.Local(first.Since)+" ("+age+" ago)")
		}
	}
	return texts
}
