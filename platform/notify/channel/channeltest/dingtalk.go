package channeltest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// dingtalkToken is the access token of a DingTalk robot.
const dingtalkToken = "566cc69da782ec33e42541b09b08551f09fbe864eb8008112e994b43887a1b2c"

// NewDingTalk starts a server that behaves like a custom robot of DingTalk: with a secret,
// or without signatures if the secret is empty.
func NewDingTalk(t testing.TB, secret string) *Server {
	s := serve(t, &dingtalk{secret: secret}, dingtalkToken)
	s.URL += "/robot/send?access_token=" + dingtalkToken
	return s
}

type dingtalk struct {
	secret string
	banned time.Time // until then
}

func dingtalkAnswer(code int, words string) reply {
	body, _ := json.Marshal(map[string]any{"errcode": code, "errmsg": words}) //nolint:errchkjson // plain values
	return reply{header: http.Header{"Content-Type": {"application/json"}}, body: string(body), accepted: code == 0}
}

func (d *dingtalk) message(r *http.Request) bool { return r.Method == http.MethodPost }

func (d *dingtalk) other(*http.Request) reply { return reply{status: http.StatusNotFound} }

func (d *dingtalk) fail(f Fault, words string) reply {
	switch f.Kind {
	case channel.Throttled:
		return dingtalkAnswer(130101, words)
	case channel.Permanent:
		return dingtalkAnswer(40035, words)
	case channel.Disabled:
		return dingtalkAnswer(300001, words)
	}
	return dingtalkAnswer(310000, words)
}

// limit enforces 20 messages per minute. One more blocks the robot for ten minutes.
func (d *dingtalk) limit(earlier []time.Time, now time.Time) (reply, bool) {
	if now.Before(d.banned) {
		return dingtalkAnswer(410100, "shut out"), true
	}
	if within(earlier, now, time.Minute) >= 20 {
		d.banned = now.Add(10 * time.Minute)
		return dingtalkAnswer(130101, "send too fast, exceed 20 times per minute"), true
	}
	return reply{}, false
}

func (d *dingtalk) check(r *request) reply {
	body := parse(string(r.body))
	switch {
	case r.URL.Path != "/robot/send" || r.URL.Query().Get("access_token") != dingtalkToken:
		return dingtalkAnswer(300001, "token is not exist")
	case d.secret != "" && !d.signed(r):
		return dingtalkAnswer(310000, "sign not match")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return dingtalkAnswer(43004, "invalid content type")
	case len(r.body) > 20_000:
		return dingtalkAnswer(460101, "message too long, exceed 20000 bytes")
	}
	if wrong := dingtalkBody(body); wrong != "" {
		return dingtalkAnswer(40035, wrong)
	}
	return dingtalkAnswer(0, "ok")
}

func (d *dingtalk) signed(r *request) bool {
	q := r.URL.Query()
	millis, err := strconv.ParseInt(q.Get("timestamp"), 10, 64)
	if err != nil || r.now.Sub(time.UnixMilli(millis)).Abs() > time.Hour {
		return false
	}
	mac := hmac.New(sha256.New, []byte(d.secret))
	mac.Write([]byte(q.Get("timestamp") + "\n" + d.secret))
	return q.Get("sign") == base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// dingtalkBody returns the problem of a body.
func dingtalkBody(body object) string {
	text := ""
	switch kind := body.text("msgtype"); kind {
	case "markdown":
		text = body.object(kind).text("text")
		if body.object(kind).text("title") == "" || text == "" {
			return "markdown without title or text"
		}
	case "actionCard":
		card := body.object(kind)
		text = card.text("text")
		if card.text("title") == "" || text == "" || len(card.list("btns")) == 0 || !anyOf(card.text("btnOrientation"), "0", "1") {
			return "actionCard without title, text or btns"
		}
		for _, b := range card.list("btns") {
			if b.text("title") == "" || !webLink(b.text("actionURL")) {
				return "a button without title or actionURL"
			}
		}
	default:
		return "unknown msgtype " + kind
	}
	at := body.object("at")
	if all, ok := at["isAtAll"].(bool); !ok || all {
		return "isAtAll is not false"
	}
	numbers, _ := at["atMobiles"].([]any)
	for _, n := range numbers {
		if number, _ := n.(string); number == "" || !strings.Contains(text, "@"+number) {
			return "a number that the text does not mention"
		}
	}
	return ""
}

var (
	dingtalkTags   = regexp.MustCompile(`<font color=#[0-9A-F]{6}>|</font>`)
	dingtalkBegins = regexp.MustCompile(`^(### |- |> )`)
)

// DingTalkMarkup returns the markup in a payload for DingTalk that comes from users' text,
// if the receiver's number may be mentioned.
func DingTalkMarkup(payload, number string) (found []string) {
	body := parse(payload)
	text, title := body.object("actionCard").text("text"), body.object("actionCard").text("title")
	if body.text("msgtype") == "markdown" {
		text, title = body.object("markdown").text("text"), body.object("markdown").text("title")
	}
	if number != "" {
		text = strings.Replace(text, "@"+number+" ", "", 1)
	}
	found = findIn(rest(text, dingtalkTags, dingtalkBegins), FindMarkdown)
	for _, b := range body.object("actionCard").list("btns") {
		title += b.text("title")
	}
	if strings.Contains(title, "@") {
		found = append(found, "mention in "+title)
	}
	return found
}
