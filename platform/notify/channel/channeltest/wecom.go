package channeltest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/notify/channel"
)

// wecomKey is the key of a WeCom robot.
const wecomKey = "693a91f6-7aaa-4bc4-97a0-0ec2e5f0c0de"

// NewWeCom starts a server that behaves like the robot of a WeCom group.
func NewWeCom(t testing.TB) *Server {
	s := serve(t, wecom{}, wecomKey)
	s.URL += "/cgi-bin/webhook/send?key=" + wecomKey
	return s
}

type wecom struct{}

func wecomAnswer(code int, words string) reply {
	body, _ := json.Marshal(map[string]any{"errcode": code, "errmsg": words}) //nolint:errchkjson // plain values
	return reply{header: http.Header{"Content-Type": {"application/json"}}, body: string(body), accepted: code == 0}
}

func (wecom) message(r *http.Request) bool { return r.Method == http.MethodPost }

func (wecom) other(*http.Request) reply { return reply{status: http.StatusNotFound} }

func (wecom) fail(f Fault, words string) reply {
	switch f.Kind {
	case channel.Throttled:
		return wecomAnswer(45009, words)
	case channel.Permanent:
		return wecomAnswer(40058, words)
	case channel.Disabled:
		return wecomAnswer(93000, words)
	}
	return wecomAnswer(-1, words)
}

// limit enforces 20 messages per minute.
func (wecom) limit(earlier []time.Time, now time.Time) (reply, bool) {
	if within(earlier, now, time.Minute) >= 20 {
		return wecomAnswer(45009, "api freq out of limit"), true
	}
	return reply{}, false
}

func (wecom) check(r *request) reply {
	body := parse(string(r.body))
	if r.URL.Path != "/cgi-bin/webhook/send" || r.URL.Query().Get("key") != wecomKey {
		return wecomAnswer(93000, "invalid webhook url")
	}
	switch body.text("msgtype") {
	case "markdown":
		content := body.object("markdown").text("content")
		if content == "" {
			return wecomAnswer(44004, "content empty")
		}
		if len(content) > 4096 {
			return wecomAnswer(40058, "markdown.content exceed max length 4096")
		}
	case "template_card":
		if wrong := wecomCard(body.object("template_card")); wrong != "" {
			return wecomAnswer(40058, wrong)
		}
	default:
		return wecomAnswer(40008, "invalid message type")
	}
	return wecomAnswer(0, "ok")
}

// wecomCard returns the problem of a card. The lengths are recommendations of WeCom, in
// Han characters; clients truncate longer texts.
func wecomCard(card object) string {
	long := func(text string, han int) bool { return printable.Columns(text) > 2*han }
	source, title := card.object("source"), card.object("main_title")
	color, ok := source["desc_color"].(float64)
	switch {
	case card.text("card_type") != "text_notice":
		return "unknown card_type"
	case !ok || color < 0 || color > 3 || long(source.text("desc"), 13):
		return "bad source"
	case title.text("title") == "" && card.text("sub_title_text") == "":
		return "neither title nor text"
	case long(title.text("title"), 26) || long(title.text("desc"), 30) || long(card.text("sub_title_text"), 112):
		return "a long title or text"
	case card.object("card_action")["type"] != 1.0 || !webLink(card.object("card_action").text("url")):
		return "bad card_action"
	case len(card.list("horizontal_content_list")) > 6 || len(card.list("jump_list")) > 3:
		return "long lists"
	}
	for _, f := range card.list("horizontal_content_list") {
		if f.text("keyname") == "" || long(f.text("keyname"), 5) || long(f.text("value"), 26) {
			return "a bad fact"
		}
	}
	for _, j := range card.list("jump_list") {
		if j["type"] != 1.0 || !webLink(j.text("url")) || j.text("title") == "" || long(j.text("title"), 13) {
			return "a bad jump"
		}
	}
	return ""
}

var (
	wecomTags   = regexp.MustCompile(`<font color="(warning|info|comment)">|</font>`)
	wecomBegins = regexp.MustCompile(`^>`)
)

// WeComMarkup returns the markup in a payload for WeCom that comes from users' text, if
// the receiver's userid may be mentioned.
func WeComMarkup(payload, user string) (found []string) {
	body := parse(payload)
	visitAll(body.object("template_card"), func(o object) {
		for key, value := range o {
			if text, ok := value.(string); ok && key != "url" && strings.Contains(text, "@") {
				found = append(found, "mention in "+text)
			}
		}
	})
	content := body.object("markdown").text("content")
	if user != "" {
		content = strings.Replace(content, "<@"+user+">", "", 1)
	}
	return append(found, findIn(rest(content, wecomTags, wecomBegins), FindMarkdown)...)
}
