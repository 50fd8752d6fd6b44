package notify

import (
	"slices"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// setup is a file of rules in the form that the planner uses. It never changes; a reload
// makes another one.
type setup struct {
	file *config.Config
	// rules are the rules by their IDs.
	rules map[string]*rule.Rule
	// timers are the rules with a timer, and timerIDs their IDs.
	timers   []*rule.Rule
	timerIDs []string
	// timersHash identifies the rules with a timer, and their definitions.
	timersHash string
	// waits are the channels that prefer digests.
	waits map[string]bool
	// alerting are the channels whose alerts page people. An alert is closed when its state is
	// left.
	alerting map[string]bool
	// readsNode is set if a condition reads the node.
	readsNode bool
}

// newSetup returns the setup of a file. waits are the channels that prefer digests.
func newSetup(file *config.Config, waits map[string]bool) *setup {
	s := &setup{file: file, rules: map[string]*rule.Rule{}, waits: waits, alerting: map[string]bool{}}
	for _, r := range file.Rules.Rules() {
		s.readsNode = s.readsNode || r.ReadsNode()
		if s.rules[r.ID()] = r; r.Timer != nil {
			s.timers, s.timerIDs = append(s.timers, r), append(s.timerIDs, r.ID())
		}
	}
	s.timersHash = hashOf(s.timers)
	for name, c := range file.Channels {
		if c.Kind == "pagerduty" || c.Kind == "opsgenie" {
			s.alerting[name] = true
		}
	}
	return s
}

// scheduleOf returns the schedule of a channel. A channel that is no longer in the file
// has the schedule of the file.
func (s *setup) scheduleOf(channel string) schedule {
	c := s.file.Channels[channel]
	if c == nil {
		c = &config.Channel{Name: channel}
	}
	return scheduleOf(s.file, c, s.waits[channel])
}

// needsUsual reports whether a rule compares a time with the usual time.
func (s *setup) needsUsual() bool {
	return slices.ContainsFunc(s.timers, func(r *rule.Rule) bool {
		return r.Timer.Kind == rule.WaitsLongerThanUsual || r.Timer.Kind == rule.RunsLongerThanUsual
	})
}
