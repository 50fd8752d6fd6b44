package records

import (
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// OfStats returns the statistics of a type for the API.
func OfStats(s *history.TypeStats) api.RecordTypeStats {
	out := api.RecordTypeStats{
		Type: OfType(s.Type), Objects: s.Objects, InState: map[string]float64{}, Outcomes: s.Outcomes, Waiting: ofSpread(s.Waiting), Running: ofSpread(s.Running),
		ByQueue: ofEnds(s.ByQueue), BySubmitter: ofEnds(s.BySubmitter), ByNamespace: ofEnds(s.ByNamespace),
	}
	for word, d := range s.InState {
		out.InState[word] = d.Seconds()
	}
	return out
}

// statsOf is the inverse of OfStats.
func statsOf(s *api.RecordTypeStats) history.TypeStats {
	out := history.TypeStats{
		Type: typeOf(s.Type), Objects: s.Objects, InState: map[string]time.Duration{}, Outcomes: s.Outcomes, Waiting: spreadOf(s.Waiting), Running: spreadOf(s.Running),
		ByQueue: endsOf(s.ByQueue), BySubmitter: endsOf(s.BySubmitter), ByNamespace: endsOf(s.ByNamespace),
	}
	for word, seconds := range s.InState {
		out.InState[word] = duration(seconds)
	}
	return out
}

func ofSpread(s history.Spread) api.RecordSpread {
	return api.RecordSpread{Count: s.Count, Open: s.Open, P50: s.P50.Seconds(), P90: s.P90.Seconds(), Max: s.Max.Seconds()}
}

func spreadOf(s api.RecordSpread) history.Spread {
	return history.Spread{Count: s.Count, Open: s.Open, P50: duration(s.P50), P90: duration(s.P90), Max: duration(s.Max)}
}

func ofEnds(all map[string]history.Ends) map[string]api.RecordEnds {
	out := make(map[string]api.RecordEnds, len(all))
	for name, e := range all {
		out[name] = api.RecordEnds{Ended: e.Ended, Failed: e.Failed}
	}
	return out
}

func endsOf(all map[string]api.RecordEnds) map[string]history.Ends {
	out := make(map[string]history.Ends, len(all))
	for name, e := range all {
		out[name] = history.Ends{Ended: e.Ended, Failed: e.Failed}
	}
	return out
}
