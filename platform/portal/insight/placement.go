package insight

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// placement is the scheduler's message about the nodes: "0/36 nodes are available: …".
type placement struct {
	fit, all int
	reasons  []nodeCount // most nodes first
}

// nodeCount is a number of nodes with a reason. Nodes is -1 if the scheduler gave no number.
// A node can have several reasons.
type nodeCount struct {
	nodes  int
	reason string
}

// maxReasons limits the reasons of a placement.
const maxReasons = 20

// maxNodes limits a number of nodes, well above the limits of Kubernetes.
const maxNodes = 1_000_000

// readPlacement reads the message of a condition PodScheduled=False or of an event
// FailedScheduling. It returns false for any other text.
func readPlacement(message string) (p placement, ok bool) {
	if strings.HasPrefix(message, "no nodes available to schedule pods") {
		return placement{}, true
	}
	head, rest, found := strings.Cut(message, " nodes are available")
	if !found { // Volcano's word
		if head, rest, found = strings.Cut(message, " nodes are unavailable"); !found {
			return p, false
		}
	}
	fit, all, found := strings.Cut(head, "/")
	if p.fit, ok = nodesIn(fit); !ok || !found {
		return placement{}, false
	}
	if p.all, ok = nodesIn(all); !ok || p.fit > p.all {
		return placement{}, false
	}
	rest, _ = strings.CutPrefix(rest, ":")
	for _, part := range splitReasons(withoutAftermath(rest)) {
		if part != "" && len(p.reasons) < maxReasons {
			p.reasons = append(p.reasons, readReason(part, p.all))
		}
	}
	slices.SortStableFunc(p.reasons, func(a, b nodeCount) int { return b.nodes - a.nodes })
	return p, true
}

// withoutAftermath removes the scheduler's actions after no node fit, such as "no new claims to
// deallocate, preemption: …". The reasons end with a period.
func withoutAftermath(text string) string {
	text, _, _ = strings.Cut(text, " preemption: ")
	text = strings.TrimSpace(text)
	if end := strings.LastIndex(text, ". "); end >= 0 && !strings.HasSuffix(text, ".") {
		text = text[:end+1]
	}
	return text
}

// nodesIn returns a number of nodes in decimal digits.
func nodesIn(text string) (int, bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n <= maxNodes
}

// readReason reads "31 Insufficient nvidia.com/gpu", or a reason without a number.
func readReason(part string, all int) nodeCount {
	number, reason, found := strings.Cut(part, " ")
	if n, ok := nodesIn(number); ok && found && n <= all && number != "" {
		return nodeCount{n, strings.TrimPrefix(reason, "node(s) ")}
	}
	return nodeCount{-1, part}
}

// splitReasons splits "31 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {a: b,
// c}." at the commas before a number, but not within braces, because the value of a taint may
// have a comma.
func splitReasons(text string) (parts []string) {
	text = strings.TrimSuffix(text, ".")
	depth, begin := 0, 0
	for i := range len(text) {
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}':
			depth = max(0, depth-1)
		case text[i] == ',' && depth == 0 && numbered(text[i+1:]):
			parts = append(parts, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[begin:]))
}

// numbered reports whether a text begins with a space, a number and a space.
func numbered(text string) bool {
	rest := strings.TrimLeft(text, " ")
	number, _, found := strings.Cut(rest, " ")
	_, ok := nodesIn(number)
	return found && ok && number != "" && rest != text
}

// plainReasons are prefixes of the scheduler's reasons, with the keys of sentences that
// explain them. The first match counts.
var plainReasons = []struct{ begins, key string }{
	{"Insufficient ", "node.insufficient"},
	{"Too many pods", "node.pods"},
	{"pod number exceeded", "node.pods"},
	{"resource fit failed", "node.fit"},
	{"were unschedulable", "node.cordoned"},
	{"had untolerated taint {node.kubernetes.io/unschedulable", "node.cordoned"},
	{"had untolerated taint {node.kubernetes.io/not-ready", "node.notReady"},
	{"had untolerated taint {node.kubernetes.io/unreachable", "node.notReady"},
	{"were not ready", "node.notReady"},
	{"had untolerated taint", "node.taint"},
	{"had taint", "node.taint"},
	{"had taints that the pod didn't tolerate", "node.taint"},
	{"didn't match Pod's node affinity", "node.affinity"},
	{"didn't match node selector", "node.affinity"},
	{"didn't match pod affinity", "node.podAffinity"},
	{"didn't match pod anti-affinity", "node.podAffinity"},
	{"didn't satisfy existing pods anti-affinity", "node.podAffinity"},
	{"didn't match pod topology spread", "node.spread"},
	{"didn't have free ports", "node.ports"},
	{"had volume node affinity conflict", "node.volume"},
	{"exceed max volume count", "node.volume"},
	{"didn't match PersistentVolume's node affinity", "node.volume"},
	{"had no available volume zone", "node.volume"},
	{"didn't find available persistent volumes to bind", "node.noVolume"},
	{"didn't match scheduler-enforced node affinity", "node.affinity"},
	{"didn't match the requested node name", "node.affinity"},
	{"cannot allocate all claims", "node.devices"},
	{"pod has unbound immediate PersistentVolumeClaims", "node.claim"},
	{"persistentvolumeclaim ", "node.claim"},
}

// plain returns the reasons in plain words, most nodes first. Different taints have the same
// words, so their nodes are added up.
func (p *placement) plain(s *words.Speaker) (all []nodeCount) {
	for _, r := range p.reasons {
		text := cmp.Or(r.plain(s), r.reason)
		at := slices.IndexFunc(all, func(c nodeCount) bool { return c.reason == text && c.nodes >= 0 })
		if at < 0 || r.nodes < 0 {
			all = append(all, nodeCount{r.nodes, text})
		} else {
			all[at].nodes = min(p.all, all[at].nodes+r.nodes)
		}
	}
	slices.SortStableFunc(all, func(a, b nodeCount) int { return b.nodes - a.nodes })
	return all
}

// plain explains a reason in the words of a language; "" for an unknown reason.
func (c nodeCount) plain(s *words.Speaker) string {
	for _, known := range plainReasons {
		if rest, ok := strings.CutPrefix(c.reason, known.begins); ok {
			switch {
			case known.key == "node.insufficient" && isGPU(rest):
				return s.Say("node.gpu")
			case known.begins == "persistentvolumeclaim " && strings.HasSuffix(rest, "not found"):
				return s.Say("node.noClaim")
			}
			return s.Say(known.key, "resource", rest)
		}
	}
	return ""
}
