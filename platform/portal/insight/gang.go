package insight

import (
	"strings"

	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// gang is Volcano's message about the pods of a job, which it starts together: "3/4 tasks in gang
// unschedulable: …. Origin reason is train-worker-0: 0/5 nodes are unavailable: …".
type gang struct {
	short, all int // pods without a place, and all pods
	// origin is Volcano's message about a pod; empty if there is none.
	origin string
}

// readGang reads the message of the condition Unschedulable of a PodGroup. It returns false for
// any other text.
func readGang(message string) (g gang, ok bool) {
	head, rest, found := strings.Cut(message, " tasks in gang unschedulable: ")
	short, all, parts := strings.Cut(head, "/")
	if !found || !parts || short == "" || all == "" {
		return g, false
	}
	var known bool
	if g.short, ok = nodesIn(short); !ok {
		return gang{}, false
	}
	if g.all, known = nodesIn(all); !known {
		return gang{}, false
	}
	_, origin, _ := strings.Cut(rest, ". Origin reason is")
	if _, g.origin, found = strings.Cut(origin, ": "); !found {
		g.origin = ""
	}
	return g, true
}

// sentences returns the sentences for Volcano's message.
func (g gang) sentences(s *words.Speaker) (all []string) {
	if g.all > 0 && g.short > 0 && g.short <= g.all {
		all = append(all, s.Say("volcano.gang", "n", words.Thousands(int64(g.short)), "all", words.Thousands(int64(g.all))))
	}
	if p, ok := readPlacement(g.origin); ok {
		return append(all, p.sentence(s))
	}
	if g.origin != "" {
		all = append(all, s.Say("volcano.says", "message", quoted(g.origin)))
	}
	return all
}
