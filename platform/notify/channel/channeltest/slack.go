package channeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

const (
	slackHook  = "XvF7kQ2mZp9LrT4sWb6Yc1Nd"
	slackToken = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcBrzbqgy"
)

// NewSlackWebhook starts a server that behaves like an incoming webhook of Slack.
func NewSlackWebhook(t testing.TB) *Server {
	s := serve(t, &slack{}, slackHook)
	s.URL += "/services/T0123456789/B0123456789/" + slackHook
	return s
}

// NewSlackAPI starts a server that behaves like Slack's Web API for a bot. Server.Token is
// the bot's token.
func NewSlackAPI(t testing.TB) *Server {
	s := serve(t, &slack{api: true}, slackToken)
	s.URL += "/api"
	return s
}

type slack struct {
	api  bool
	sent atomic.Int64
}

func (s *slack) message(r *http.Request) bool {
	return r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/auth.test")
}

func (s *slack) other(r *http.Request) reply {
	if r.Method != http.MethodPost {
		return reply{status: http.StatusFound}
	}
	if r.Header.Get("Authorization") != "Bearer "+slackToken {
		return slackAnswer("invalid_auth")
	}
	return reply{body: `{"ok":true,"user":"vedette"}`}
}

func slackAnswer(word string) reply {
	body, _ := json.Marshal(map[string]any{"ok": false, "error": word}) //nolint:errchkjson // plain values
	return reply{header: http.Header{"Content-Type": {"application/json"}}, body: string(body)}
}

// answer returns a failure in the format of a webhook or of the API.
func (s *slack) answer(status int, word string) reply {
	if s.api && status != http.StatusTooManyRequests {
		return slackAnswer(word)
	}
	return reply{status: status, body: word}
}

func (s *slack) fail(f Fault, words string) reply {
	var answer reply
	switch f.Kind {
	case channel.Throttled:
		answer = s.answer(http.StatusTooManyRequests, "rate_limited")
		if f.RetryAfter > 0 {
			answer.header = http.Header{"Retry-After": {strconv.Itoa(int(f.RetryAfter.Seconds()))}}
		}
	case channel.Permanent:
		answer = s.answer(http.StatusBadRequest, "invalid_blocks")
	case channel.Disabled:
		answer = s.answer(http.StatusGone, "channel_is_archived")
	default:
		answer = s.answer(http.StatusForbidden, "action_prohibited")
	}
	if f.Echo {
		answer = s.answer(http.StatusBadRequest, words)
	}
	return answer
}

// limit enforces one message per second, with short bursts.
func (s *slack) limit(earlier []time.Time, now time.Time) (reply, bool) {
	if within(earlier, now, 5*time.Second) >= 5 {
		return s.fail(Fault{Kind: channel.Throttled, RetryAfter: time.Second}, ""), true
	}
	return reply{}, false
}

func (s *slack) check(r *request) reply {
	body := parse(string(r.body))
	wrong := slackBody(body)
	if !s.api {
		switch {
		case r.URL.Path != "/services/T0123456789/B0123456789/"+slackHook:
			return s.answer(http.StatusNotFound, "no_service")
		case wrong != "":
			return s.answer(http.StatusBadRequest, "invalid_blocks")
		case body["channel"] != nil || body["thread_ts"] != nil:
			return s.answer(http.StatusBadRequest, "invalid_payload")
		}
		return reply{body: "ok", accepted: true}
	}
	thread := body.text("thread_ts")
	switch {
	case r.Header.Get("Authorization") != "Bearer "+slackToken:
		return slackAnswer("invalid_auth")
	case r.URL.Path != "/api/chat.postMessage" || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return slackAnswer("invalid_arguments")
	case !regexp.MustCompile(`^[CDGUW][A-Z0-9]+$`).MatchString(body.text("channel")):
		return slackAnswer("channel_not_found")
	case thread != "" && thread > slackTime(s.sent.Load()):
		return slackAnswer("thread_not_found")
	case wrong != "":
		return slackAnswer("invalid_blocks")
	}
	return reply{body: fmt.Sprintf(`{"ok":true,"ts":%q}`, slackTime(s.sent.Add(1))), accepted: true}
}

// slackTime returns the timestamp of the nth message.
func slackTime(n int64) string { return fmt.Sprintf("1795312902.%06d", n) }

// slackBody returns the problem of a payload.
func slackBody(body object) string {
	if body.text("text") == "" || utf8.RuneCountInString(body.text("text")) > 40_000 {
		return "no text, or a long one"
	}
	blocks := body.list("blocks")
	for _, a := range body.list("attachments") {
		if !regexp.MustCompile(`^#[0-9A-F]{6}$`).MatchString(a.text("color")) || len(a.list("blocks")) == 0 {
			return "an attachment without color or blocks"
		}
		blocks = append(blocks, a.list("blocks")...)
	}
	if len(blocks) > 50 {
		return "too many blocks"
	}
	for _, b := range blocks {
		if wrong := slackBlock(b); wrong != "" {
			return b.text("type") + ": " + wrong
		}
	}
	return ""
}

func slackBlock(b object) string {
	long := func(t object, kind string, limit int) bool {
		n := utf8.RuneCountInString(t.text("text"))
		return t.text("type") != kind || n == 0 || n > limit
	}
	switch b.text("type") {
	case "header":
		if long(b.object("text"), "plain_text", 150) {
			return "bad text"
		}
	case "section":
		fields := b.list("fields")
		if b.object("text") == nil && len(fields) == 0 || len(fields) > 10 || b.object("text") != nil && long(b.object("text"), "mrkdwn", 3000) {
			return "bad text or fields"
		}
		for _, f := range fields {
			if long(f, "mrkdwn", 2000) {
				return "a bad field"
			}
		}
	case "actions":
		if n := len(b.list("elements")); n == 0 || n > 25 {
			return "no elements, or too many"
		}
		for _, e := range b.list("elements") {
			if e.text("type") != "button" || long(e.object("text"), "plain_text", 75) || !webLink(e.text("url")) || len(e.text("url")) > 3000 {
				return "a bad button"
			}
		}
	case "context":
		if n := len(b.list("elements")); n == 0 || n > 10 {
			return "no elements, or too many"
		}
		for _, e := range b.list("elements") {
			if long(e, "mrkdwn", 3000) {
				return "a bad element"
			}
		}
	default:
		return "unknown"
	}
	return ""
}

var (
	slackLink   = regexp.MustCompile(`<` + regexp.QuoteMeta(Portal) + `/[^|<>\s]*\|([^|<>\n]*)>`)
	slackLabel  = regexp.MustCompile(`(?m)^\*([^*\n]*)\*$`)
	slackFence  = regexp.MustCompile("(?s)```\n(.*)\n```$")
	slackActive = regexp.MustCompile(`[<>@]`)
)

// SlackMarkup returns the markup in a payload for Slack that comes from users' text, if
// the receiver's ID may be mentioned.
func SlackMarkup(payload, user string) (found []string) {
	body := parse(payload)
	check := func(text string) {
		if log := slackFence.FindStringSubmatch(text); log != nil {
			text = slackFence.ReplaceAllString(text, "")
			if strings.Contains(log[1], "```") || slackActive.MatchString(log[1]) {
				found = append(found, "markup in the log "+log[1])
			}
		}
		if user != "" {
			text = strings.Replace(text, "<@"+user+">", "", 1)
		}
		text = slackLabel.ReplaceAllString(slackLink.ReplaceAllString(text, "$1"), "$1")
		found = append(found, findIn(strings.Split(text, "\n"), FindMrkdwn)...)
	}
	check(body.text("text"))
	visitAll(map[string]any(body), func(o object) {
		switch o.text("type") {
		case "mrkdwn":
			check(o.text("text"))
		case "plain_text":
			if slackActive.MatchString(o.text("text")) {
				found = append(found, "markup in "+o.text("text"))
			}
		}
	})
	return found
}
