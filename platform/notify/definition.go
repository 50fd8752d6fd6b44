package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// definitionOf returns a hash of everything that determines which objects have a timer of
// a rule, and when it is due.
func definitionOf(r *rule.Rule) string {
	var when, labels string
	if r.When != nil {
		when = r.When.String()
	}
	if r.Labels != nil {
		labels = r.Labels.String()
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%v %v %q %q %q %q %q %q %q", r.Timer.Kind, r.Timer.After, r.Timer.Signals, r.Types, r.Clusters, r.Namespaces, r.Queues, labels, when))
	return hex.EncodeToString(hash[:8])
}

// hashOf returns a hash of the definitions of some rules with timers.
func hashOf(timers []*rule.Rule) string {
	var all []string
	for _, r := range timers {
		all = append(all, fmt.Sprintf("%q %s", r.ID(), definitionOf(r)))
	}
	slices.Sort(all)
	hash := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(hash[:8])
}
