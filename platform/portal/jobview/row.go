package jobview

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Extra has the columns of a row that are not in the index. Zero fields are not shown.
type Extra struct {
	// Raw and Message belong to the state of the row.
	Raw, Message string
	// Node is the node on which a pod of the job runs or ran last. MorePods is the number of other
	// pods of the job that ran at the same time.
	Node     string
	MorePods int
	// Cause is the reason why a container failed, such as OOMKilled. ExitCode is its exit code.
	Cause    string
	ExitCode *int
	// Place is the place in the line of the queue, from 1; 0 if unknown.
	Place int

	ownRaw, ownMessage string // of the object of the job alone
}

// WithoutPods returns the columns that the job alone shows, for a person who may not see its pods.
func (e Extra) WithoutPods() Extra {
	return Extra{Raw: e.ownRaw, Message: e.ownMessage, Place: e.Place}
}

// maxMessage is the maximum size of the message in a row, in bytes.
const maxMessage = 300

// Job returns a row of the list. It shares the labels with r.
func Job(r *jobindex.Row, e Extra) api.Job {
	return api.Job{
		ID: r.ID, Cluster: r.Cluster, UID: r.UID, Type: r.Type, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name,
		State: string(r.State), Raw: e.Raw, Reason: r.Reason, Message: cut(e.Message, maxMessage),
		Since: instant(r.Since), Submitted: instant(r.Submitted), Ended: instant(r.Ended), Deleted: instant(r.Deleted), Presence: presenceOf(r.Presence),
		Waited: r.Waited.Seconds(), Ran: r.Ran.Seconds(), Tries: r.Tries, GPUs: r.GPUs, Pods: r.Pods,
		Queue: r.Queue, Owner: r.Owner, Priority: r.Priority, Labels: r.Labels,
		Detail: detailOf(r, &e), Life: Life(r.Life), Version: r.Version.String(),
	}
}

// presenceOf returns the word of the API for a presence.
func presenceOf(p history.Presence) string {
	switch p {
	case history.Present:
		return "Present"
	case history.Deleted:
		return "Deleted"
	case history.Unselected:
		return "Unselected"
	}
	return "Unknown"
}

// Ref returns the name of a job.
func Ref(r *jobindex.Row) api.JobRef {
	return api.JobRef{Cluster: r.Cluster, UID: r.UID, Type: r.Type, Namespace: r.Namespace, Name: r.Name}
}

// Life returns spans for the life strip.
func Life(spans []job.Span) []api.Span {
	all := make([]api.Span, len(spans))
	for i, s := range spans {
		all[i] = api.Span{State: string(s.State), From: instant(s.From), To: instant(s.To), Gap: s.Gap, Inferred: s.Inferred, Attempt: s.Attempt}
	}
	return all
}

// detailOf returns the reason why a job waits, failed or was stopped, or the node on which it runs.
func detailOf(r *jobindex.Row, e *Extra) api.Detail {
	switch r.State {
	case job.Failed, job.Restarting:
		d := api.Detail{Word: e.Cause, Strong: r.State == job.Failed}
		switch {
		case e.ExitCode != nil:
			d.More, d.ExitCode = job.ExitCodeMessage(int64(*e.ExitCode)), *e.ExitCode
		case d.Word == "" || d.Word == r.Reason:
			d.More = brief(e.Message)
		}
		if d.Word == "" {
			d.Word = r.Reason
		}
		return d
	case job.Running, job.Succeeded:
		return nodeOf(e)
	case job.Starting:
		if r.Reason == "" {
			return nodeOf(e)
		}
	}
	d := api.Detail{Word: r.Reason, More: brief(e.Message)}
	if e.Place > 0 && !r.State.Final() {
		d.More, d.Place = ordinal(e.Place)+" in line", e.Place
	}
	if !r.State.Final() && d.More != "" && redundant(d) {
		d.Word, d.More = d.More, ""
	}
	return d
}

// roomy is the number of characters that the detail column shows on a usual screen.
const roomy = 30

// redundant reports that the text of a waiting job is complete without its reason, and fits the
// column only without it.
func redundant(d api.Detail) bool {
	words := utf8.RuneCountInString(d.More)
	return d.Word == "JobSuspended" || words <= roomy && words+1+utf8.RuneCountInString(d.Word) > roomy
}

// nodeOf returns the node of a pod, and the number of other pods.
func nodeOf(e *Extra) api.Detail {
	d := api.Detail{Word: e.Node}
	if e.Node == "" || e.MorePods == 0 {
		return d
	}
	d.MorePods, d.More = e.MorePods, "and "+strconv.Itoa(e.MorePods)+" more pods"
	if e.MorePods == 1 {
		d.More = "and 1 more pod"
	}
	return d
}

// maxBrief is the maximum size of a message in the detail column, in bytes.
const maxBrief = 80

// brief returns the first clause of a message.
func brief(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	for _, end := range []string{". ", "; "} {
		message, _, _ = strings.Cut(message, end)
	}
	return cut(strings.TrimSuffix(message, "."), maxBrief)
}

// cut truncates a text to a number of bytes, and marks this with an ellipsis.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// ordinal returns "1st", "2nd", "3rd", "4th", "11th" and so on.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// instant returns a time as the API has it: UTC, in milliseconds.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}
