package channeltest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// feishuToken is the token in the URL of a Feishu bot.
const feishuToken = "b7e1a2c4-5d6f-4e8a-9b0c-1d2e3f4a5b6c"

// NewFeishu starts a server that behaves like a custom bot of Feishu: with a secret, or
// without signatures if the secret is empty.
func NewFeishu(t testing.TB, secret string) *Server {
	s := serve(t, &feishu{secret}, feishuToken)
	s.URL += "/open-apis/bot/v2/hook/" + feishuToken
	return s
}

type feishu struct{ secret string }

func feishuAnswer(code int, words string) reply {
	body, _ := json.Marshal(map[string]any{"code": code, "msg": words, "data": map[string]any{}}) //nolint:errchkjson // plain values
	return reply{header: http.Header{"Content-Type": {"application/json"}}, body: string(body), accepted: code == 0}
}

func (f *feishu) message(r *http.Request) bool { return r.Method == http.MethodPost }

func (f *feishu) other(*http.Request) reply { return reply{status: http.StatusNotFound} }

func (f *feishu) fail(fault Fault, words string) reply {
	switch fault.Kind {
	case channel.Throttled:
		if fault.RetryAfter > 0 {
			answer := feishuAnswer(99991400, words)
			answer.status = http.StatusTooManyRequests
			answer.header.Set("X-Ogw-Ratelimit-Reset", strconv.Itoa(int(fault.RetryAfter.Seconds())))
			return answer
		}
		return feishuAnswer(11232, words)
	case channel.Permanent:
		return feishuAnswer(9499, words)
	case channel.Disabled:
		return feishuAnswer(19001, words)
	}
	return feishuAnswer(19024, words)
}

// limit enforces 100 messages per minute and 5 per second.
func (f *feishu) limit(earlier []time.Time, now time.Time) (reply, bool) {
	if within(earlier, now, time.Minute) >= 100 || within(earlier, now, time.Second) >= 5 {
		return feishuAnswer(11232, "frequency limit"), true
	}
	return reply{}, false
}

func (f *feishu) check(r *request) reply {
	body := parse(string(r.body))
	switch {
	case r.URL.Path != "/open-apis/bot/v2/hook/"+feishuToken:
		return feishuAnswer(19001, "param invalid: incoming webhook access token invalid")
	case len(r.body) > 20<<10 || body == nil:
		return feishuAnswer(9499, "Bad Request")
	case f.secret != "" && !f.signed(body, r.now):
		return feishuAnswer(19021, "sign match fail or timestamp is not within one hour from current time")
	case body.text("msg_type") != "interactive" || body.object("card") == nil:
		return feishuAnswer(19002, "params error, msg_type need")
	}
	if wrong := feishuCard(body.object("card")); wrong != "" {
		return feishuAnswer(11246, wrong)
	}
	return feishuAnswer(0, "success")
}

func (f *feishu) signed(body object, now time.Time) bool {
	seconds, err := strconv.ParseInt(body.text("timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > time.Hour {
		return false
	}
	mac := hmac.New(sha256.New, []byte(body.text("timestamp")+"\n"+f.secret))
	return body.text("sign") == base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// feishuCard returns the problem of a card of version 1.0.
func feishuCard(card object) string {
	header := card.object("header")
	if !anyOf(header.text("template"), "blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "violet", "purple", "indigo", "grey", "default") {
		return "unknown template " + header.text("template")
	}
	if title := header.object("title"); title.text("tag") != "plain_text" || title.text("content") == "" {
		return "no title"
	}
	if len(card.list("elements")) == 0 {
		return "no elements"
	}
	for _, e := range card.list("elements") {
		if wrong := feishuElement(e); wrong != "" {
			return e.text("tag") + ": " + wrong
		}
	}
	return ""
}

func feishuElement(e object) string {
	wrongText := func(t object) bool { return !anyOf(t.text("tag"), "lark_md", "plain_text") || t.text("content") == "" }
	switch e.text("tag") {
	case "div":
		fields := e.list("fields")
		if e.object("text") == nil && len(fields) == 0 || e.object("text") != nil && wrongText(e.object("text")) {
			return "neither a text nor fields"
		}
		for _, f := range fields {
			if _, ok := f["is_short"].(bool); !ok || wrongText(f.object("text")) {
				return "a field without a text"
			}
		}
	case "markdown":
		if e.text("content") == "" {
			return "no content"
		}
	case "action":
		if len(e.list("actions")) == 0 {
			return "no actions"
		}
		for _, a := range e.list("actions") {
			if a.text("tag") != "button" || a.object("text").text("tag") != "plain_text" || !webLink(a.text("url")) || !anyOf(a.text("type"), "default", "primary", "danger") {
				return fmt.Sprintf("a bad button: %v", a)
			}
		}
	case "note":
		if slices.ContainsFunc(e.list("elements"), wrongText) {
			return "a bad text"
		}
	case "hr":
	default:
		return "unknown"
	}
	return ""
}

var (
	feishuTags   = regexp.MustCompile(`<font color='grey'>|</font>`)
	feishuBegins = regexp.MustCompile(`^$`)
	feishuFence  = regexp.MustCompile("(?s)```\n(.*)\n```$")
)

// FeishuMarkup returns the markup in a payload for Feishu that comes from users' text, if
// the receiver's open_id may be mentioned.
func FeishuMarkup(payload, openID string) (found []string) {
	visitAll(parse(payload).object("card"), func(o object) {
		content := o.text("content")
		switch o.text("tag") {
		case "plain_text":
			if strings.Contains(content, "@") {
				found = append(found, "mention in "+content)
			}
		case "markdown":
			if log := feishuFence.FindStringSubmatch(content); log != nil {
				content = feishuFence.ReplaceAllString(content, "")
				if strings.Contains(log[1], "```") || strings.Contains(strings.ToLower(log[1]), "<at") || strings.Contains(log[1], "@") {
					found = append(found, "markup in the log "+log[1])
				}
			}
			found = append(found, findIn(rest(content, feishuTags, feishuBegins), FindLark)...)
		case "lark_md":
			if openID != "" {
				content = strings.NewReplacer("<at id="+openID+"></at>", "", "<at email="+openID+"></at>", "").Replace(content)
			}
			found = append(found, findIn(rest(content, feishuTags, feishuBegins), FindLark)...)
		}
	})
	return found
}
