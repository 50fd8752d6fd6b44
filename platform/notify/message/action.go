package message

import (
	"strconv"
	"time"
)

// actions are the buttons by kind, in order.
var actions = map[Kind][]button{
	Started:      {openJob, logsButton},
	NearDeadline: {openJob, logsButton},
	RunningLong:  {openJob, logsButton, stopButton},
	NoProgress:   {openJob, logsButton, stopButton},
	WaitsLong:    {whyWaits, cloneFewer, stopButton},
	Restarted:    {openJob, logsButton},
	Failed:       {openJob, retryButton, allLogs},
	Succeeded:    {openJob},
	Aborted:      {openJob, retryButton},
	Deleted:      {openJob, retryButton},
	StateChanged: {openJob},
	GapClosed:    {openChanges},
	Digest:       {openFailed, openAll},
	Escalation:   {openJob, acknowledge},
	Test:         {openSettings},
}

// buttons returns the buttons of a message. It omits buttons with an unknown text, and all
// buttons if there is no portal.
func (s *speaker) buttons(addresses map[button]string) (all []Button) {
	for _, b := range actions[s.n.Kind] {
		text, url := s.say(s.words.buttons[b]), addresses[b]
		if text != "" && url != "" {
			all = append(all, Button{Text: text, URL: url, Primary: len(all) == 0 && s.n.Kind != WaitsLong})
		}
	}
	return all
}

// addresses returns the addresses of the buttons of a notice.
func (s *speaker) addresses(p portal) map[button]string {
	j := s.n.Job
	all := map[button]string{
		openJob: p.job(j, ""), logsButton: p.job(j, "/logs"), allLogs: p.job(j, "/logs"), whyWaits: p.job(j, ""),
		stopButton: p.job(j, "", "ask", "stop"), retryButton: p.job(j, "", "ask", "retry"), acknowledge: p.job(j, "/notifications", "ask", "acknowledge"),
		openSettings: p.page("/settings"),
	}
	if s.n.Wait != nil {
		all[cloneFewer] = p.page("/submit", "clone", j.UID, "gpus", strconv.Itoa(s.n.Wait.Fewer))
	}
	if g := s.n.Gap; g != nil {
		all[openChanges] = p.page("/timeline", "cluster", j.Cluster, "from", stamp(g.From), "to", stamp(g.To))
	}
	return all
}

// footer returns the footer. today means that the mute applies to all messages until
// midnight, not to one job.
func (s *speaker) footer(p portal, today bool) Footer {
	w := s.words.footer
	f := Footer{Place: s.place(), Why: s.say(w.why), Zone: w.zone + s.clock.zone(), placeEnd: w.placeEnd, whyEnd: s.words.space}
	switch {
	case s.n.Kind == Test:
	case today:
		f.Mute = Link{w.today, p.page("/settings", "ask", "mute", "rule", s.rule)}
	default:
		f.Mute = Link{w.mute, p.job(s.n.Job, "/notifications", "ask", "mute")}
	}
	if s.rule != "" {
		f.Change = Link{w.change, p.page("/settings", "rule", s.rule)}
	}
	return f
}

// place returns "CLUSTER / NAMESPACE".
func (s *speaker) place() string {
	j := s.n.Job
	if j.Cluster != "" && j.Namespace != "" {
		return j.Cluster + " / " + j.Namespace
	}
	return or(j.Cluster, j.Namespace)
}

// stamp formats a time for a parameter of a page.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
