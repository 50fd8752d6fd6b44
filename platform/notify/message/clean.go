package message

import (
	"slices"

	"github.com/vedette-io/vedette/job"
)

// Maximum lengths of the lists in a notice. Longer lists are mistakes.
const (
	maxLogLines = 20
	maxSpans    = 200
	maxList     = 10
)

// cleaner copies notices with clean text.
type cleaner struct{ defang bool }

func (c cleaner) text(text string) string { return clean(text, maxValue, c.defang) }

func (c cleaner) state(s job.State) job.State { return job.State(c.text(string(s))) }

func (c cleaner) texts(all []string, limit int) []string {
	if len(all) == 0 {
		return nil
	}
	clean := make([]string, 0, min(len(all), limit))
	for _, text := range all[:min(len(all), limit)] {
		clean = append(clean, c.text(text))
	}
	return clean
}

// notice returns a copy in which all text is clean and all lists are bounded. It drops the
// escalation of an escalation.
func (c cleaner) notice(from *Notice) *Notice {
	n := *from
	for _, text := range []*string{&n.FromRaw, &n.ToRaw, &n.Reason, &n.Message, &n.Actor, &n.Cause.Pod, &n.Cause.Role, &n.Cause.Node, &n.Cause.Limit, &n.Cause.Why, &n.Cause.Other, &n.Cause.Quota} {
		*text = c.text(*text)
	}
	n.Job = c.job(from.Job)
	n.From, n.To = c.state(n.From), c.state(n.To)
	n.Cause.Reason = Reason(c.text(string(n.Cause.Reason)))
	n.SameCause = n.SameCause[max(0, len(n.SameCause)-maxList):]
	n.Life = slices.Clone(n.Life[max(0, len(n.Life)-maxSpans):])
	for i, span := range n.Life {
		n.Life[i].State = c.state(span.State)
	}
	if n.Log != nil {
		log := *n.Log
		log.Source, log.Lines = c.text(log.Source), nil
		for _, line := range n.Log.Lines[max(0, len(n.Log.Lines)-maxLogLines):] {
			log.Lines = append(log.Lines, cleanLine(line, c.defang))
		}
		n.Log = &log
	}
	if n.Timer != nil {
		timer := *n.Timer
		timer.Signal = c.text(timer.Signal)
		n.Timer = &timer
	}
	if n.Gap != nil {
		gap := *n.Gap
		gap.Why, gap.Counts = c.text(gap.Why), slices.Clone(gap.Counts[:min(len(gap.Counts), maxList)])
		for i, count := range gap.Counts {
			gap.Counts[i].State = c.state(count.State)
		}
		n.Gap = &gap
	}
	if n.Escalated != nil {
		escalated := *n.Escalated
		escalated.Told, escalated.Channel = c.text(escalated.Told), c.text(escalated.Channel)
		if of := escalated.Notice; of != nil {
			inner := *of
			inner.Escalated = nil
			escalated.Notice = c.notice(&inner)
		}
		n.Escalated = &escalated
	}
	if n.Probe != nil {
		n.Probe = &Probe{c.text(n.Probe.Channel), c.text(n.Probe.Actor), c.texts(n.Probe.Rules, maxList)}
	}
	return &n
}

func (c cleaner) job(j Job) Job {
	for _, text := range []*string{&j.Cluster, &j.ClusterUID, &j.Type, &j.Kind, &j.Namespace, &j.Name, &j.UID, &j.Queue, &j.Owner} {
		*text = c.text(*text)
	}
	return j
}

// options returns options with clean text.
func (c cleaner) options(o Options) Options {
	o.Rule, o.Role = c.text(o.Rule), c.text(o.Role)
	if o.Silence != nil {
		o.Silence = &Silence{o.Silence.ID, c.text(o.Silence.Matchers)}
	}
	return o
}
