package message

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// maxRows is the maximum number of jobs in a digest.
const maxRows = 500

// ComposeDigest returns one message for many notices of the window between from and to.
// Failures are grouped by cause and node. For each job the last notice counts, but the end
// of a job takes precedence over its deletion.
//
// Errors: see Compose.
func ComposeDigest(items []Notice, from, to time.Time, o Options) (*Message, error) {
	c := cleaner{defang: !o.Verbatim}
	o = c.options(o)
	d := &digest{speaker: newSpeaker(&Notice{Kind: Digest, Happened: to, Seen: to}, &o), portal: newPortal(o.Portal), from: from, to: to, items: len(items)}
	for i := range items {
		d.add(c.notice(&items[i]))
	}
	d.sort()
	m := d.message(&o)
	m.Happened = to
	d.shape(m)
	d.fill(m, &o)
	m.StateWord = d.speaker.stateWord(m.State)
	return m, d.template(m, &o)
}

// silence says which silence has held back the messages, in front of the sentences.
func (d *digest) silence(m *Message, o *Options) {
	if o.Silence == nil {
		return
	}
	said := d.with(map[string]string{"held": d.words.messages(d.items), "silence": strconv.FormatInt(o.Silence.ID, 10), "matchers": o.Silence.Matchers}).say(d.words.silence)
	m.Sentence = strings.TrimSpace(said + d.words.space + m.Sentence)
	m.ShortSentence = strings.TrimSpace(said + d.words.space + m.ShortSentence)
}

// digest is a digest that is being composed.
type digest struct {
	*speaker
	portal   portal
	from, to time.Time
	latest   map[string]*Notice // by job
	jobs     []*Notice          // jobs to show
	gaps     []*Notice
	late     bool
	items    int // number of notices
}

// add adds a notice. An escalation counts as the escalated notice; a test is ignored.
func (d *digest) add(n *Notice) {
	if n.Kind == Escalation && n.Escalated != nil && n.Escalated.Notice != nil {
		n = n.Escalated.Notice
	}
	switch {
	case n.Kind == GapClosed:
		d.gaps = append(d.gaps, n)
		return
	case n.Kind == Test || n.Kind == Digest || n.Kind == Escalation:
		return
	}
	if d.latest == nil {
		d.latest = map[string]*Notice{}
	}
	d.late = d.late || n.Late
	key := n.Job.ClusterUID + "/" + n.Job.Cluster + "/" + or(n.Job.UID, n.Job.Type+"/"+n.Job.Namespace+"/"+n.Job.Name)
	if old := d.latest[key]; old != nil && !counts(n, old) {
		return
	}
	d.latest[key] = n
}

// counts reports whether a notice of a job replaces an earlier one.
func counts(n, old *Notice) bool {
	if ended(n) != ended(old) {
		return ended(n)
	}
	return !happened(n).Before(happened(old))
}

func ended(n *Notice) bool { return n.Kind == Failed || n.Kind == Succeeded || n.Kind == Aborted }

func happened(n *Notice) time.Time { return firstTime(n.Happened, n.Seen) }

// sort orders the jobs by group, then by time. Waits are ordered by length, longest first.
func (d *digest) sort() {
	for _, n := range d.latest {
		d.jobs = append(d.jobs, n)
	}
	slices.SortFunc(d.jobs, func(a, b *Notice) int {
		return cmp.Or(cmp.Compare(groupOf(a), groupOf(b)), cmp.Compare(a.To, b.To)*oneIf(groupOf(a) == changedGroup),
			cmp.Compare(waited(b), waited(a)), happened(a).Compare(happened(b)), cmp.Compare(a.Job.Name, b.Job.Name), cmp.Compare(a.Job.UID, b.Job.UID))
	})
}

// waited returns how long a job waits, if that determines its position.
func waited(n *Notice) time.Duration {
	if n.Kind != WaitsLong || n.Waited == nil {
		return 0
	}
	return *n.Waited
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// groupOf returns the group of a notice.
func groupOf(n *Notice) group {
	switch n.Kind {
	case Failed:
		return failedGroup
	case NoProgress:
		return noProgressGroup
	case NearDeadline:
		return nearDeadlineGroup
	case WaitsLong:
		return waitsGroup
	case RunningLong:
		return runningLongGroup
	case Deleted:
		return deletedGroup
	case Restarted:
		return restartedGroup
	case Aborted:
		return abortedGroup
	case Started:
		return startedGroup
	case Succeeded:
		return succeededGroup
	}
	return changedGroup
}

// shape makes the sections.
func (d *digest) shape(m *Message) {
	shown := d.jobs[:min(len(d.jobs), maxRows)]
	for _, part := range runs(shown, sameSection) {
		if groupOf(part[0]) == failedGroup {
			d.failures(m, part)
			continue
		}
		d.section(m, part, "")
	}
	if len(m.Sections) > 0 {
		m.State = m.Sections[0].State
	}
	m.Late = m.Late || d.late
	if left := len(d.jobs) - len(shown); left > 0 {
		m.More = d.with(map[string]string{"more": d.words.number(left)}).say(d.words.footer.more)
		m.left = left
	}
	for _, s := range m.Sections {
		for _, row := range s.Rows {
			m.Items = append(m.Items, *row.notice)
		}
	}
}

// sameSection reports whether two neighbors belong to the same section.
func sameSection(a, b *Notice) bool {
	return groupOf(a) == groupOf(b) && (groupOf(a) != changedGroup || a.To == b.To)
}

// runs splits a list between neighbors that are not the same.
func runs(all []*Notice, same func(a, b *Notice) bool) (parts [][]*Notice) {
	begin := 0
	for i := 1; i <= len(all); i++ {
		if i == len(all) || !same(all[i-1], all[i]) {
			parts = append(parts, all[begin:i])
			begin = i
		}
	}
	return parts
}

// failures adds a section for each cause and node that several failures share, then for
// each cause that several share, and one for the others.
func (d *digest) failures(m *Message, failed []*Notice) {
	rest := failed
	for _, keyOf := range []func(*Notice) string{d.causeAndNode, d.causeAlone} {
		var groups [][]*Notice
		groups, rest = shared(rest, keyOf)
		for _, part := range groups {
			d.section(m, part, keyOf(part[0]))
		}
	}
	if len(rest) == 0 {
		return
	}
	at := len(m.Sections)
	d.section(m, rest, "")
	if len(rest) < len(failed) {
		m.Sections[at].Title = d.say(d.words.otherCauses)
	}
}

// shared returns the groups of at least two notices with the same key, largest first, and
// the rest. Notices with an empty key are in the rest.
func shared(all []*Notice, keyOf func(*Notice) string) (groups [][]*Notice, rest []*Notice) {
	byKey := map[string][]*Notice{}
	var keys []string
	for _, n := range all {
		key := keyOf(n)
		if len(byKey[key]) == 0 {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], n)
	}
	for _, key := range keys {
		if key != "" && len(byKey[key]) > 1 {
			groups = append(groups, byKey[key])
		}
	}
	slices.SortStableFunc(groups, func(a, b []*Notice) int { return len(b) - len(a) })
	for _, n := range all {
		if key := keyOf(n); key == "" || len(byKey[key]) < 2 {
			rest = append(rest, n)
		}
	}
	return groups, rest
}

// causeAndNode returns "OOMKilled on gpu-h100-17", or "" if the cause or the node is
// unknown.
func (d *digest) causeAndNode(n *Notice) string {
	if n.Cause.Node == "" || n.Cause.Reason == "" {
		return ""
	}
	s := d.about(n)
	return s.brief() + s.say(d.words.on)
}

// causeAlone returns "OOMKilled". An exit code is not a common cause.
func (d *digest) causeAlone(n *Notice) string {
	if n.Cause.Reason == "" || n.Cause.Reason == ExitError {
		return ""
	}
	return d.about(n).brief()
}

// section adds a section. cause is the common cause of its failures.
func (d *digest) section(m *Message, part []*Notice, cause string) {
	first := d.about(part[0])
	words := d.words.groups[groupOf(part[0])]
	s := first
	if t := part[0].Timer; t != nil && slices.ContainsFunc(part, func(n *Notice) bool { return n.Timer == nil || n.Timer.After != t.After }) {
		s = first.with(map[string]string{"after": ""})
	}
	section := Section{State: color(part[0]), Count: len(part), Title: or(s.say(words.title), string(part[0].Kind))}
	if cause != "" {
		section.Title += d.words.comma + cause
	}
	for _, n := range part {
		section.Rows = append(section.Rows, d.row(n, cause != ""))
	}
	m.Sections = append(m.Sections, section)
}

// row returns the row of a job. In a section with a common cause, it omits the cause.
func (d *digest) row(n *Notice, explained bool) Row {
	s := d.about(n)
	if explained {
		s = s.with(map[string]string{"brief": ""})
	}
	row := Row{
		Name: or(n.Job.Name, "–"), URL: "", Owner: n.Job.Owner, GPUs: or(s.fieldOf("gpus"), "–"), Text: s.say(d.words.groups[groupOf(n)].row),
		Time: d.clock.seconds(happened(n)), Late: n.Late, notice: n,
	}
	if d.portal.root != "" {
		row.URL = d.portal.job(n.Job, "")
	}
	switch {
	case happened(n).IsZero():
		row.Time = ""
	case n.Kind == WaitsLong && n.Waited != nil:
		row.Time = Duration(*n.Waited)
	}
	return row
}

// fill sets the title, the sentence, the buttons and the footer.
func (d *digest) fill(m *Message, o *Options) {
	var counts []string
	for _, part := range runs(d.jobs, sameSection) {
		count := d.words.groups[groupOf(part[0])].count
		if count == nil {
			counts = append(counts, d.words.inState(len(part), or(d.stateWord(part[0].To), part[0].ToRaw, "–")))
			continue
		}
		counts = append(counts, count(len(part)))
	}
	failed := 0
	for _, n := range d.jobs {
		failed += oneIf(n.Kind == Failed)
	}
	extra := map[string]string{
		"counts": or(strings.Join(counts, d.words.comma), capital(d.words.jobs(0))), "from": d.minutes(d.from), "to": d.minutes(d.to), "n": d.words.number(failed),
		"jobs": capital(d.words.jobs(len(d.jobs))), "k": "", "failed": "", "all": d.words.number(len(d.jobs)), "cause": "",
	}
	if len(d.jobs) == 0 && len(d.gaps) > 0 {
		extra["counts"] = d.words.gaps(len(d.gaps))
	}
	if failed > 0 {
		extra["failed"] = d.words.number(failed)
	}
	if groups, _ := shared(d.jobs[:failed], d.causeAndNode); len(groups) > 0 {
		extra["k"], extra["cause"] = d.words.number(len(groups[0])), d.causeAndNode(groups[0][0])
	}
	s := d.with(extra)
	m.Title = s.say(d.words.titles[Digest])
	m.ShortTitle, m.Head = extra["counts"], extra["counts"]
	d.speaker = s
	s.sentence(m, o)
	d.silence(m, o)
	m.Buttons = s.buttons(map[button]string{
		openFailed: d.portal.page("/jobs", "state", string(job.Failed), "from", stamp(d.from), "to", stamp(d.to)),
		openAll:    d.portal.page("/jobs", "from", stamp(d.from), "to", stamp(d.to)),
	})
	m.URL = firstURL(m.Buttons)
	m.Footer = s.footer(d.portal, true)
	m.Footer.Unsubscribe = d.portal.unsubscribe(o.Unsubscribe)
	for _, gap := range d.gaps[:min(len(d.gaps), 3)] {
		m.Footer.Note = strings.TrimSpace(m.Footer.Note + d.words.space + d.about(gap).say(d.words.footer.gap))
	}
}
