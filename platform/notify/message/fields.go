package message

import (
	"strconv"
	"strings"
	"time"
)

// newSpeaker returns a speaker about a notice. Notice and options are clean.
func newSpeaker(n *Notice, o *Options) *speaker {
	s := &speaker{n: n, words: &english, rule: o.Rule, role: o.Role, due: o.Due, clock: clock{o.Location, o.Now, LanguageOf(o.Language)}, find: find}
	if s.clock.language == Chinese {
		s.words = &chinese
	}
	if s.clock.location == nil {
		s.clock.location = time.UTC
	}
	if s.clock.now.IsZero() {
		s.clock.now = firstTime(n.Seen, n.Happened)
	}
	return s
}

// find returns the value of a field, or "" if it is unknown.
func find(s *speaker, name string) string {
	if value := fields[name]; value != nil {
		return value(s)
	}
	if value := timerFields[name]; value != nil && s.n.Timer != nil {
		return value(s, s.n.Timer)
	}
	if value := waitFields[name]; value != nil && s.n.Wait != nil {
		return value(s, s.n.Wait)
	}
	return ""
}

// fields are the fields of the notice itself.
var fields = map[string]func(s *speaker) string{
	"job":       func(s *speaker) string { return or(s.n.Job.Name, "–") },
	"cluster":   func(s *speaker) string { return or(s.n.Job.Cluster, s.n.Job.ClusterUID, "–") },
	"queue":     func(s *speaker) string { return s.n.Job.Queue },
	"owner":     func(s *speaker) string { return s.n.Job.Owner },
	"gpus":      func(s *speaker) string { return positive(s.n.Job.GPUs, s.words.gpus) },
	"gpuCount":  func(s *speaker) string { return positive(s.n.Job.GPUs, s.words.number) },
	"nodes":     func(s *speaker) string { return positive(s.n.Job.Nodes, s.words.nodes) },
	"nodeCount": func(s *speaker) string { return positive(s.n.Job.Nodes, s.words.number) },
	"state":     func(s *speaker) string { return or(s.stateWord(s.n.To), s.n.ToRaw) },
	"from":      func(s *speaker) string { return or(s.stateWord(s.n.From), s.n.FromRaw) },
	"said":      func(s *speaker) string { return s.n.Message },
	"time":      func(s *speaker) string { return s.minutes(s.n.Happened) },
	"seen":      func(s *speaker) string { return s.minutes(s.n.Seen) },
	"due":       func(s *speaker) string { return s.minutes(s.due) },
	"end":       func(s *speaker) string { return s.minutes(s.n.LikelyEnd) },
	"until":     func(s *speaker) string { return s.date(s.n.KeptUntil) },
	"actor": func(s *speaker) string {
		if s.n.Probe != nil {
			return s.n.Probe.Actor
		}
		if s.n.Actor != "" && s.n.Actor == s.n.Job.Owner {
			return s.words.byOwner
		}
		return s.n.Actor
	},
	"by":     func(s *speaker) string { return enclosed(s.fieldOf("actor")) },
	"waited": func(s *speaker) string { return pointed(s.n.Waited) },
	"ran":    func(s *speaker) string { return pointed(s.n.Ran) },

	"n":           func(s *speaker) string { return positive(s.n.Attempt, s.words.number) },
	"m":           func(s *speaker) string { return positive(s.n.Attempts, s.words.number) },
	"attempts":    func(s *speaker) string { return positive(s.n.Attempt, s.words.attempts) },
	"retries":     func(s *speaker) string { return s.retriesLeft(s.words.retries) },
	"retriesWere": func(s *speaker) string { return s.retriesLeft(s.words.retriesWere) },
	"list": func(s *speaker) string {
		if len(s.n.SameCause) < 2 {
			return ""
		}
		items := make([]string, 0, 8)
		for _, attempt := range s.n.SameCause[max(0, len(s.n.SameCause)-maxList):] {
			items = append(items, s.words.number(attempt))
		}
		return s.words.list(items)
	},

	"reason":  func(s *speaker) string { return s.reason() },
	"brief":   func(s *speaker) string { return s.brief() },
	"cause":   func(s *speaker) string { return s.cause() },
	"subject": func(s *speaker) string { return s.say(s.words.subject) },
	"on":      func(s *speaker) string { return s.say(s.words.on) },
	"node":    func(s *speaker) string { return s.n.Cause.Node },
	"pod":     func(s *speaker) string { return s.n.Cause.Pod },
	"Role":    func(s *speaker) string { return capital(s.n.Cause.Role) },
	"index":   func(s *speaker) string { return s.index() },
	"replica": func(s *speaker) string {
		if s.n.Cause.Role == "" || s.n.Cause.Index == nil {
			return ""
		}
		return strings.ToLower(s.n.Cause.Role) + "-" + s.index()
	},
	"code": func(s *speaker) string {
		if s.n.Cause.ExitCode == nil {
			return ""
		}
		return strconv.Itoa(*s.n.Cause.ExitCode)
	},
	"limit": func(s *speaker) string { return s.n.Cause.Limit },
	"aNode": func(s *speaker) string {
		switch {
		case s.refused() == "":
			return ""
		case s.clock.language == Chinese:
			return "节点"
		}
		return "a node"
	},
	"refused":    func(s *speaker) string { return s.refused() },
	"evictedWhy": func(s *speaker) string { return strings.TrimRight(s.n.Cause.Why, ".。 ") },
	"other":      func(s *speaker) string { return s.n.Cause.Other },
	"overQuota":  func(s *speaker) string { return s.n.Cause.Quota },
	"memory":     func(s *speaker) string { return s.limitOf(OOMKilled) },
	"timeLimit":  func(s *speaker) string { return s.limitOf(DeadlineExceeded) },

	"rule": func(s *speaker) string { return s.rule },
	"role": func(s *speaker) string {
		role := s.role
		if role == RoleOwner {
			role = s.words.owner
		}
		if s.clock.language == Chinese {
			return spaced(role)
		}
		return role
	},
	"channel": func(s *speaker) string {
		switch {
		case s.n.Probe != nil:
			return s.n.Probe.Channel
		case s.n.Escalated != nil:
			return s.n.Escalated.Channel
		}
		return ""
	},
	"rules": func(s *speaker) string {
		if s.n.Probe == nil {
			return ""
		}
		return s.words.list(s.n.Probe.Rules)
	},
	"age":    func(s *speaker) string { return s.escalated(func(e *Escalated) string { return span(e.Age) }) },
	"told":   func(s *speaker) string { return s.escalated(func(e *Escalated) string { return e.Told }) },
	"toldAt": func(s *speaker) string { return s.escalated(func(e *Escalated) string { return s.minutes(e.At) }) },

	"changes": func(s *speaker) string { return s.gap(func(g *Gap) string { return s.words.changes(g.Changes) }) },
	"Changes": func(s *speaker) string {
		return capital(s.gap(func(g *Gap) string { return s.words.changes(g.Changes) }))
	},
	"changesWere": func(s *speaker) string { return s.gap(func(g *Gap) string { return s.words.changesWere(g.Changes) }) },
	"gapFrom":     func(s *speaker) string { return s.gap(func(g *Gap) string { return s.minutes(g.From) }) },
	"gapTo":       func(s *speaker) string { return s.gap(func(g *Gap) string { return s.minutes(g.To) }) },
	"why": func(s *speaker) string {
		return s.gap(func(g *Gap) string { return strings.TrimRight(g.Why, ".。 ") })
	},
	"counts": func(s *speaker) string {
		return s.gap(func(g *Gap) string {
			var items []string
			for _, c := range g.Counts {
				if c.Jobs > 0 {
					items = append(items, s.words.inState(c.Jobs, s.stateWord(c.State)))
				}
			}
			return strings.Join(items, s.words.comma)
		})
	},
	"source": func(s *speaker) string { return s.log(func(l *Log) string { return l.Source }) },
	"logAttempt": func(s *speaker) string {
		return s.log(func(l *Log) string { return positive(l.Attempt, s.words.number) })
	},
	"kept": func(s *speaker) string { return s.log(func(l *Log) string { return positive(l.Kept, s.words.number) }) },
	"lines": func(s *speaker) string {
		return s.log(func(l *Log) string { return positive(len(l.Lines), s.words.number) })
	},
}

// timerFields are the fields of timers.
var timerFields = map[string]func(s *speaker, t *Timer) string{
	"left":     func(_ *speaker, t *Timer) string { return span(t.Left) },
	"needed":   func(_ *speaker, t *Timer) string { return span(t.Needed) },
	"after":    func(_ *speaker, t *Timer) string { return span(t.After) },
	"p90":      func(_ *speaker, t *Timer) string { return span(t.P90) },
	"quiet":    func(_ *speaker, t *Timer) string { return span(t.Quiet) },
	"since":    func(s *speaker, t *Timer) string { return s.minutes(t.Since) },
	"deadline": func(s *speaker, t *Timer) string { return s.minutes(t.Deadline) },
	"signal": func(s *speaker, t *Timer) string {
		if t.Signal == "" {
			return ""
		}
		return s.words.signal(t.Signal)
	},
}

// waitFields are the fields of waits.
var waitFields = map[string]func(s *speaker, w *Wait) string{
	"quota":       func(s *speaker, w *Wait) string { return number(w.Quota, s.words.number) },
	"used":        func(s *speaker, w *Wait) string { return number(w.Used, s.words.number) },
	"free":        func(s *speaker, w *Wait) string { return number(w.Free, s.words.number) },
	"nth":         func(s *speaker, w *Wait) string { return positive(w.Place, s.words.nth) },
	"place":       func(s *speaker, w *Wait) string { return positive(w.Place, s.words.number) },
	"inLine":      func(s *speaker, w *Wait) string { return positive(w.InLine, s.words.number) },
	"nthBefore":   func(s *speaker, w *Wait) string { return positive(w.PlaceBefore, s.words.nth) },
	"placeBefore": func(s *speaker, w *Wait) string { return positive(w.PlaceBefore, s.words.number) },
	"beforeGPUs":  func(s *speaker, w *Wait) string { return number(w.BeforeGPUs, s.words.gpus) },
	"beforeJobs":  func(s *speaker, w *Wait) string { return positive(w.BeforeJobs, s.words.jobs) },
	"higher":      func(s *speaker, w *Wait) string { return positive(w.BeforeHigher, s.words.number) },
	"start":       func(s *speaker, w *Wait) string { return s.minutes(w.Start) },
	"early":       func(s *speaker, w *Wait) string { return s.minutes(w.StartEarly) },
	"late":        func(s *speaker, w *Wait) string { return s.minutes(w.StartLate) },
	"fewer":       func(s *speaker, w *Wait) string { return positive(w.Fewer, s.words.gpus) },
	"earlier":     func(s *speaker, w *Wait) string { return s.minutes(w.FewerStart) },
	"likeMedian":  func(_ *speaker, w *Wait) string { return span(w.LikeMedian) },
	"likeJobs":    func(s *speaker, w *Wait) string { return positive(w.LikeJobs, s.words.number) },
	"likeDays":    func(s *speaker, w *Wait) string { return positive(w.LikeDays, s.words.number) },
}
