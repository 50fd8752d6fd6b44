package channeltest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// teamsSignature is the secret in the URL of a workflow.
const teamsSignature = "qP3xT9vWm2Lk8RzYb5NcJ7dHsA4fGe6U"

// NewTeams starts a server that behaves like a workflow of Teams that posts Adaptive
// Cards.
func NewTeams(t testing.TB) *Server {
	s := serve(t, teams{}, teamsSignature)
	s.URL += "/workflows/4f2c8e/triggers/manual/paths/invoke?api-version=2016-06-01&sig=" + teamsSignature
	return s
}

type teams struct{}

func (teams) message(r *http.Request) bool { return r.Method == http.MethodPost }

func (teams) other(*http.Request) reply { return reply{status: http.StatusNotFound} }

func (teams) fail(f Fault, words string) reply {
	switch f.Kind {
	case channel.Throttled:
		answer := reply{status: http.StatusTooManyRequests, body: words}
		if f.RetryAfter > 0 {
			answer.header = http.Header{"Retry-After": {strconv.Itoa(int(f.RetryAfter.Seconds()))}}
		}
		return answer
	case channel.Permanent:
		return reply{status: http.StatusBadRequest, body: words}
	case channel.Disabled:
		return reply{status: http.StatusGone, body: words}
	}
	return reply{status: http.StatusInternalServerError, body: words}
}

// limit enforces four messages per second.
func (teams) limit(earlier []time.Time, now time.Time) (reply, bool) {
	if within(earlier, now, time.Second) >= 4 {
		return teams{}.fail(Fault{Kind: channel.Throttled, RetryAfter: time.Second}, "too many requests"), true
	}
	return reply{}, false
}

func (teams) check(r *request) reply {
	body := parse(string(r.body))
	switch {
	case r.URL.Query().Get("sig") != teamsSignature:
		return reply{status: http.StatusUnauthorized, body: "the signature is invalid"}
	case len(r.body) > 28<<10:
		return reply{status: http.StatusRequestEntityTooLarge, body: "RequestEntityTooLarge"}
	}
	if wrong := teamsBody(body); wrong != "" {
		return reply{status: http.StatusBadRequest, body: wrong}
	}
	return reply{status: http.StatusAccepted, accepted: true}
}

// teamsBody returns the problem of a body.
func teamsBody(body object) string {
	if body.text("type") != "message" || len(body.list("attachments")) != 1 {
		return "not one attachment"
	}
	attachment := body.list("attachments")[0]
	card := attachment.object("content")
	if attachment.text("contentType") != "application/vnd.microsoft.card.adaptive" || card.text("type") != "AdaptiveCard" || card.text("version") != "1.4" {
		return "not an Adaptive Card 1.4"
	}
	if len(card.list("body")) == 0 {
		return "an empty card"
	}
	for _, e := range card.list("body") {
		if wrong := teamsElement(e); wrong != "" {
			return e.text("type") + ": " + wrong
		}
	}
	for _, a := range card.list("actions") {
		if a.text("type") != "Action.OpenUrl" || a.text("title") == "" || !webLink(a.text("url")) {
			return "a bad action"
		}
	}
	for _, e := range card.object("msteams").list("entities") {
		used := false
		for _, b := range card.list("body") {
			used = used || b.text("type") == "TextBlock" && strings.Contains(b.text("text"), e.text("text"))
		}
		if e.text("type") != "mention" || !used || e.object("mentioned").text("id") == "" || e.object("mentioned").text("name") == "" {
			return "a bad mention"
		}
	}
	return ""
}

func teamsElement(e object) string {
	switch e.text("type") {
	case "Container":
		if !anyOf(e.text("style"), "default", "emphasis", "good", "attention", "warning", "accent") {
			return "unknown style"
		}
		for _, i := range e.list("items") {
			if wrong := teamsElement(i); wrong != "" {
				return wrong
			}
		}
	case "TextBlock":
		if e.text("text") == "" {
			return "no text"
		}
	case "RichTextBlock":
		if len(e.list("inlines")) == 0 {
			return "no inlines"
		}
		for _, r := range e.list("inlines") {
			if action := r.object("selectAction"); r.text("type") != "TextRun" || r.text("text") == "" || action != nil && !webLink(action.text("url")) {
				return "a bad TextRun"
			}
		}
	case "FactSet":
		for _, f := range e.list("facts") {
			if f.text("title") == "" || f.text("value") == "" {
				return "a bad fact"
			}
		}
	default:
		return "unknown"
	}
	return ""
}

// TeamsMarkup returns the markup in a payload for Teams that comes from users' text, if
// the receiver's ID may be mentioned.
func TeamsMarkup(payload, user string) (found []string) {
	visitAll(map[string]any(parse(payload)), func(o object) {
		text := o.text("text")
		switch {
		case o.text("type") == "TextRun":
			if strings.Contains(strings.ToLower(text), "<at") || strings.Contains(text, "@") {
				found = append(found, "mention in "+text)
			}
		case o.text("type") == "TextBlock":
			name := strings.TrimSuffix(strings.TrimPrefix(text, "<at>"), "</at>")
			found = append(found, findIn([]string{name}, FindMarkdown)...)
		case o.text("type") == "mention":
			if id := o.object("mentioned").text("id"); user == "" || id != user {
				found = append(found, "mention of "+id)
			}
		case o.text("title") != "" && o["value"] != nil:
			found = append(found, findIn([]string{o.text("title"), o.text("value")}, FindMarkdown)...)
		case o.text("url") != "" && !strings.HasPrefix(o.text("url"), Portal+"/"):
			found = append(found, "link to "+o.text("url"))
		}
	})
	return found
}
