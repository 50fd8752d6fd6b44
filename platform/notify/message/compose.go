package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/job"
)

// Compose returns the message of a notice. It has no side effects, and the message shares
// no mutable memory with n.
//
// Errors: a template fails. The message is still valid: it has the default title, the
// links, and a sentence about the failure.
func Compose(n *Notice, o Options) (*Message, error) {
	c := cleaner{defang: !o.Verbatim}
	n, o = c.notice(n), c.options(o)
	if !slices.Contains(kinds, n.Kind) || n.Kind == Digest {
		n.Kind = StateChanged
	}
	about := n // the notice with the job and the facts to show
	if n.Escalated != nil && n.Escalated.Notice != nil {
		about = n.Escalated.Notice
		n.Job = about.Job
	}
	s := newSpeaker(n, &o)
	m := s.message(&o)
	inner := s.about(about)
	m.Name = about.Job.Name
	s.title(m, inner)
	s.sentence(m, &o)
	m.State = color(about)
	m.StateWord = s.stateWord(m.State)
	if about.Kind != GapClosed && about.Kind != Test {
		m.Facts = inner.facts()
		m.Strip, m.StripEnd = inner.strip()
		m.JobLabel = s.words.labels[jobLabel]
	}
	if o.Private && n.Log != nil && len(n.Log.Lines) > 0 {
		m.Log, m.LogTitle, m.LogNote = slices.Clone(n.Log.Lines), s.words.labels[logLabel], s.say(s.words.log)
	}
	p := newPortal(o.Portal)
	m.Buttons = s.buttons(s.addresses(p))
	m.Footer = s.footer(p, n.Kind == GapClosed)
	m.Footer.Unsubscribe = p.unsubscribe(o.Unsubscribe)
	m.URL = firstURL(m.Buttons)
	return m, s.template(m, &o)
}

// message returns the common fields of all messages.
func (s *speaker) message(o *Options) *Message {
	n := s.n
	m := &Message{
		ID: o.ID, Kind: n.Kind, Notice: n, Language: s.clock.language, Happened: firstTime(n.Happened, n.Seen), Resolve: n.Resolve, Late: n.Late || o.Replay,
		Rule: o.Rule, Role: o.Role, Place: s.place(), words: s.words,
	}
	if n.Job.UID != "" {
		m.Thread = n.Job.UID + "@" + or(n.Job.Cluster, n.Job.ClusterUID)
		m.Dedup = dedup(n.Job, o.Rule)
	}
	return m
}

// title sets the titles. An escalation repeats the title of the escalated message.
func (s *speaker) title(m *Message, inner *speaker) {
	p := s.words.titles[s.n.Kind]
	long, short := s, s
	if inner.n != s.n {
		of := s.words.titles[inner.n.Kind]
		long, short = s.with(map[string]string{"title": inner.say(of)}), s.with(map[string]string{"title": inner.sayShort(of)})
	} else if s.n.Kind == Escalation {
		long = s.with(map[string]string{"title": s.say(phrase("{job}"))})
		short = long
	}
	m.Title, m.ShortTitle = long.say(p), short.sayShort(p)
	about := "{job}"
	if s.n.Kind == GapClosed {
		about = "{cluster}"
	}
	m.Head = m.Title
	if head, ok := strings.CutSuffix(m.Title, s.say(phrase(about))); ok && s.n.Kind != Test {
		m.Head = strings.TrimRight(strings.TrimSuffix(head, "："), ": ")
	}
}

// sentence sets the sentences, including the note about a late notice.
func (s *speaker) sentence(m *Message, o *Options) {
	p := s.words.sentences[s.n.Kind]
	if s.n.Kind == StateChanged {
		p = s.words.entered[s.n.To]
		if p == nil {
			p = s.words.entered[""]
		}
	}
	more := ""
	switch {
	case s.n.Late && s.n.Kind.Timer():
		more += s.words.space + s.say(s.words.lateTimer)
	case s.n.Late:
		more += s.words.space + s.say(s.words.late)
	}
	if o.Replay {
		more += s.words.space + s.say(s.words.replay)
	}
	m.Sentence = strings.TrimSpace(s.say(p) + more)
	m.ShortSentence = strings.TrimSpace(s.sayShort(p) + more)
}

// template replaces the words with the user's template.
func (s *speaker) template(m *Message, o *Options) error {
	if o.Templates == nil {
		return nil
	}
	title, sentence, err := o.Templates.execute(s.n.Kind, s.templateData(m), !o.Verbatim)
	if err != nil {
		m.TemplateError = clean(err.Error(), maxValue, !o.Verbatim)
		m.Sentence = s.with(map[string]string{"error": m.TemplateError}).say(s.words.broken)
		m.ShortSentence = m.Sentence
		m.Facts, m.Log, m.LogTitle, m.LogNote, m.Strip, m.StripEnd = nil, nil, "", "", nil, ""
		m.Sections, m.Items, m.More = nil, nil, ""
		return fmt.Errorf("template of rule %q for %s: %w", o.Rule, s.n.Kind, err)
	}
	if title != "" {
		m.Title, m.ShortTitle, m.Head = title, title, title
	}
	if sentence != "" {
		m.Sentence, m.ShortSentence = sentence, sentence
	}
	return nil
}

// templateData returns the fields of a template.
func (s *speaker) templateData(m *Message) TemplateData {
	n := s.n
	return TemplateData{
		Kind: string(n.Kind), Title: m.Title, Sentence: m.Sentence, Job: n.Job.Name, Namespace: n.Job.Namespace, Cluster: n.Job.Cluster, Type: n.Job.Type,
		UID: n.Job.UID, Queue: n.Job.Queue, Owner: n.Job.Owner, State: m.StateWord, From: string(n.From), To: string(n.To), Reason: s.reason(), Cause: s.cause(),
		Message: n.Message, Pod: n.Cause.Pod, Node: n.Cause.Node, ExitCode: s.fieldOf("code"), Limit: n.Cause.Limit, Waited: s.fieldOf("waited"), Ran: s.fieldOf("ran"),
		Happened: s.fieldOf("time"), Seen: s.fieldOf("seen"), Quiet: s.fieldOf("quiet"), Left: s.fieldOf("left"), Deadline: s.fieldOf("deadline"),
		Actor: n.Actor, Rule: s.rule, Role: s.role, GPUs: n.Job.GPUs, Nodes: n.Job.Nodes, Attempt: n.Attempt, Attempts: n.Attempts, Late: n.Late,
	}
}

// color returns the state that determines the color of a message.
func color(n *Notice) job.State {
	switch n.Kind {
	case WaitsLong:
		return job.Queued
	case Started, NearDeadline, RunningLong, NoProgress:
		return job.Running
	case Restarted:
		return job.Restarting
	case Failed:
		return job.Failed
	case Succeeded:
		return job.Succeeded
	case Aborted:
		return job.Aborted
	case Deleted:
		return job.Deleted
	case GapClosed, Test:
		return ""
	}
	return n.To
}

func firstURL(buttons []Button) string {
	if len(buttons) == 0 {
		return ""
	}
	return buttons[0].URL
}
