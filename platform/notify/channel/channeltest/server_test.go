package channeltest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask posts a body, and returns the status and the body of the answer.
func ask(t *testing.T, address, body string, header ...string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", answer.StatusCode, text)
}

// wrongs are invalid changes of a valid body, each with a part of the answer to it.
type wrongs []struct{ old, changed, answer string }

// try sends the valid body, and then every changed body, which the server must refuse.
func try(t *testing.T, s *Server, send func(body string) string, valid, success string, changes wrongs) {
	t.Helper()
	if got := send(valid); !strings.Contains(got, success) || len(s.Accepted()) != 1 {
		t.Fatalf("the valid body: %s", got)
	}
	for _, c := range changes {
		s.Advance(time.Hour)
		if !strings.Contains(valid, c.old) {
			t.Fatalf("the body has no %q", c.old)
		}
		if got := send(strings.Replace(valid, c.old, c.changed, 1)); !strings.Contains(got, c.answer) {
			t.Errorf("%q instead of %q: %s, want %s", c.changed, c.old, got, c.answer)
		}
	}
	if n := len(s.Accepted()); n != 1 {
		t.Errorf("%d messages arrived, want 1", n)
	}
}

func TestFeishuRules(t *testing.T) {
	s := NewFeishu(t, "")
	card := `{"msg_type":"interactive","card":{"header":{"template":"red","title":{"tag":"plain_text","content":"T"}},"elements":[` +
		`{"tag":"div","text":{"tag":"lark_md","content":"x"}},{"tag":"div","fields":[{"is_short":true,"text":{"tag":"lark_md","content":"f"}}]},` +
		`{"tag":"markdown","content":"m"},{"tag":"action","actions":[{"tag":"button","text":{"tag":"plain_text","content":"b"},"url":"https://x","type":"primary"}]},` +
		`{"tag":"hr"},{"tag":"note","elements":[{"tag":"lark_md","content":"n"}]}]}}`
	try(t, s, func(body string) string { return ask(t, s.URL, body) }, card, `"code":0`, wrongs{
		{`"interactive"`, `"card"`, "19002"},
		{`"red"`, `"scarlet"`, "unknown template"},
		{`{"tag":"plain_text","content":"T"}`, `{"tag":"lark_md","content":"T"}`, "no title"},
		{`{"tag":"lark_md","content":"x"}`, `{"tag":"html","content":"x"}`, "neither"},
		{`"is_short":true,`, ``, "a field"},
		{`"content":"m"`, `"content":""`, "no content"},
		{`"https://x"`, `""`, "a bad button"},
		{`"primary"`, `"red"`, "a bad button"},
		{`"hr"`, `"line"`, "unknown"},
		{`"content":"n"`, `"content":""`, "a bad text"},
		{`"content":"m"`, `"content":"` + strings.Repeat("m", 20<<10) + `"`, "9499"},
		{`}}`, ``, "9499"},
	})
	if got := ask(t, strings.Replace(s.URL, feishuToken, "another", 1), card); !strings.Contains(got, "19001") {
		t.Errorf("another token: got %s, want error 19001", got)
	}
	s.Advance(time.Hour)
	counts := map[bool]int{}
	for range 8 {
		counts[strings.Contains(ask(t, s.URL, card), "11232")]++
	}
	if counts[true] != 3 || counts[false] != 5 {
		t.Errorf("of 8 messages in a second, %d were refused", counts[true])
	}
	s.Advance(time.Hour)
	for range 100 {
		s.Advance(300 * time.Millisecond)
		if got := ask(t, s.URL, card); !strings.Contains(got, `"code":0`) {
			t.Fatalf("got %s, want an answer with \"code\":0", got)
		}
	}
	s.Advance(time.Second)
	if got := ask(t, s.URL, card); !strings.Contains(got, "11232") {
		t.Errorf("101 messages in a minute: %s", got)
	}
}

// TestSignaturesOfVendors computes the signatures like the vendors' examples.
func TestSignaturesOfVendors(t *testing.T) {
	const secret = "a secret"
	sum := func(key, text string) string {
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write([]byte(text))
		return base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	now := time.Now()
	feishu, dingtalk := NewFeishu(t, secret), NewDingTalk(t, secret)
	for age, ok := range map[time.Duration]bool{0: true, 59 * time.Minute: true, 61 * time.Minute: false, -61 * time.Minute: false} {
		seconds, millis := fmt.Sprint(now.Add(-age).Unix()), fmt.Sprint(now.Add(-age).UnixMilli())
		card := `,"msg_type":"interactive","card":{"header":{"template":"red","title":{"tag":"plain_text","content":"T"}},"elements":[{"tag":"hr"}]}}`
		body := fmt.Sprintf(`{"timestamp":%q,"sign":%q`, seconds, sum(seconds+"\n"+secret, "")) + card
		feishu.Advance(time.Hour)
		if got := ask(t, feishu.URL, body); strings.Contains(got, `"code":0`) != ok || !ok && !strings.Contains(got, "19021") {
			t.Errorf("Feishu, %s old: got %s, want it accepted: %t, or error 19021", age, got, ok)
		}
		swapped := fmt.Sprintf(`{"timestamp":%q,"sign":%q`, seconds, sum(secret, seconds+"\n"+secret)) + card
		if got := ask(t, feishu.URL, swapped); !strings.Contains(got, "19021") {
			t.Errorf("Feishu with DingTalk's signature: %s", got)
		}
		signed := dingtalk.URL + "&timestamp=" + millis + "&sign=" + url.QueryEscape(sum(secret, millis+"\n"+secret))
		text := `{"msgtype":"markdown","markdown":{"title":"T","text":"x"},"at":{"isAtAll":false}}`
		if got := ask(t, signed, text); strings.Contains(got, `"errcode":0`) != ok || !ok && !strings.Contains(got, "310000") {
			t.Errorf("DingTalk, %s old: got %s, want it accepted: %t, or error 310000", age, got, ok)
		}
	}
}

func TestDingTalkRules(t *testing.T) {
	s := NewDingTalk(t, "")
	card := `{"msgtype":"actionCard","actionCard":{"title":"T","text":"@138 x","btnOrientation":"1","btns":[{"title":"b","actionURL":"https://x"}]},"at":{"atMobiles":["138"],"isAtAll":false}}`
	try(t, s, func(body string) string { return ask(t, s.URL, body) }, card, `"errcode":0`, wrongs{
		{`"actionCard",`, `"card",`, "unknown msgtype"},
		{`"title":"T"`, `"title":""`, "40035"},
		{`{"title":"b","actionURL":"https://x"}`, ``, "40035"},
		{`"https://x"`, `"javascript:x"`, "a button"},
		{`"btnOrientation":"1"`, `"btnOrientation":"2"`, "40035"},
		{`"isAtAll":false`, `"isAtAll":true`, "isAtAll"},
		{`"@138 x"`, `"x"`, "does not mention"},
		{`@138 x`, `@138 ` + strings.Repeat("x", 20_000), "460101"},
	})
	if got := ask(t, s.URL+"x", card); !strings.Contains(got, "300001") {
		t.Errorf("another token: got %s, want error 300001", got)
	}
	if got := ask(t, s.URL, card, "Content-Type", "text/plain"); !strings.Contains(got, "43004") {
		t.Errorf("another type: got %s, want error 43004", got)
	}
}

func TestWeComRules(t *testing.T) {
	s := NewWeCom(t)
	send := func(body string) string { return ask(t, s.URL, body) }
	card := `{"msgtype":"template_card","template_card":{"card_type":"text_notice","source":{"desc":"s","desc_color":2},"main_title":{"title":"T","desc":"d"},` +
		`"sub_title_text":"x","horizontal_content_list":[{"keyname":"k","value":"v"}],"jump_list":[{"type":1,"url":"https://x","title":"j"}],"card_action":{"type":1,"url":"https://y"}}}`
	try(t, s, send, card, `"errcode":0`, wrongs{
		{`"template_card",`, `"card",`, "40008"},
		{`"text_notice"`, `"news_notice"`, "card_type"},
		{`"desc_color":2`, `"desc_color":4`, "source"},
		{`"title":"T"`, `"title":"` + strings.Repeat("题", 27) + `"`, "long"},
		{`"sub_title_text":"x"`, `"sub_title_text":"` + strings.Repeat("x", 225) + `"`, "long"},
		{`"keyname":"k"`, `"keyname":""`, "a bad fact"},
		{`{"keyname":"k","value":"v"}`, strings.Repeat(`{"keyname":"k","value":"v"},`, 6) + `{"keyname":"k","value":"v"}`, "long lists"},
		{`"url":"https://x"`, `"url":""`, "a bad jump"},
		{`"url":"https://y"`, `"url":""`, "card_action"},
	})
	s.Advance(time.Hour)
	if got := send(`{"msgtype":"markdown","markdown":{"content":"` + strings.Repeat("题", 1366) + `"}}`); !strings.Contains(got, "40058") {
		t.Errorf("4,098 bytes: got %s, want error 40058", got)
	}
	if got := send(`{"msgtype":"markdown","markdown":{"content":""}}`); !strings.Contains(got, "44004") {
		t.Errorf("no content: %s", got)
	}
	if got := ask(t, s.URL+"x", card); !strings.Contains(got, "93000") {
		t.Errorf("another key: got %s, want error 93000", got)
	}
	for range 20 {
		if got := send(card); !strings.Contains(got, `"errcode":0`) {
			t.Fatalf("got %s, want an answer with \"errcode\":0", got)
		}
	}
	if got := send(card); !strings.Contains(got, "45009") {
		t.Errorf("21 messages in a minute: %s", got)
	}
}

func TestSlackRules(t *testing.T) {
	body := `{"text":"t","blocks":[{"type":"header","text":{"type":"plain_text","text":"h"}}],"attachments":[{"color":"#CD330B","blocks":[` +
		`{"type":"section","text":{"type":"mrkdwn","text":"s"}},{"type":"section","fields":[{"type":"mrkdwn","text":"f"}]},` +
		`{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"b"},"url":"https://x"}]},{"type":"context","elements":[{"type":"mrkdwn","text":"c"}]}]}]}`
	changes := wrongs{
		{`"text":"t"`, `"text":""`, "invalid_blocks"},
		{`"h"`, `"` + strings.Repeat("h", 151) + `"`, "invalid_blocks"},
		{`"#CD330B"`, `"red"`, "invalid_blocks"},
		{`"text":"s"`, `"text":"` + strings.Repeat("s", 3001) + `"`, "invalid_blocks"},
		{`"text":"f"`, `"text":""`, "invalid_blocks"},
		{`{"type":"mrkdwn","text":"f"}`, strings.Repeat(`{"type":"mrkdwn","text":"f"},`, 10) + `{"type":"mrkdwn","text":"f"}`, "invalid_blocks"},
		{`"b"`, `"` + strings.Repeat("b", 76) + `"`, "invalid_blocks"},
		{`"https://x"`, `"x"`, "invalid_blocks"},
		{`"context"`, `"table"`, "invalid_blocks"},
		{`{"type":"header"`, strings.Repeat(`{"type":"header","text":{"type":"plain_text","text":"h"}},`, 46) + `{"type":"header"`, "invalid_blocks"},
	}
	hook := NewSlackWebhook(t)
	try(t, hook, func(body string) string { return ask(t, hook.URL, body) }, body, "200 ok", changes)
	hook.Advance(time.Hour)
	if got := ask(t, hook.URL+"x", body); !strings.Contains(got, "404 no_service") {
		t.Errorf("another token: got %s, want 404 no_service", got)
	}
	api := NewSlackAPI(t)
	post := func(body string) string {
		return ask(t, api.URL+"/chat.postMessage", strings.Replace(body, `{`, `{"channel":"C0123456789",`, 1), "Authorization", "Bearer "+api.Token)
	}
	try(t, api, post, body, `"ok":true`, changes)
	api.Advance(time.Hour)
	for want, got := range map[string]string{
		"invalid_auth":      ask(t, api.URL+"/chat.postMessage", body, "Authorization", "Bearer x"),
		"channel_not_found": ask(t, api.URL+"/chat.postMessage", body, "Authorization", "Bearer "+api.Token),
		"thread_not_found":  post(strings.Replace(body, `{`, `{"thread_ts":"9999999999.000001",`, 1)),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for range 5 {
		_ = post(body)
	}
	if got := post(body); !strings.Contains(got, "429") {
		t.Errorf("6 messages at once: %s", got)
	}
}

func TestTeamsRules(t *testing.T) {
	s := NewTeams(t)
	body := `{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","content":{"type":"AdaptiveCard","version":"1.4",` +
		`"msteams":{"entities":[{"type":"mention","text":"<at>L</at>","mentioned":{"id":"i","name":"L"}}]},"body":[{"type":"Container","style":"good","items":[` +
		`{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"r"}]}]},{"type":"TextBlock","text":"<at>L</at>"},{"type":"FactSet","facts":[{"title":"t","value":"v"}]}],` +
		`"actions":[{"type":"Action.OpenUrl","title":"a","url":"https://x"}]}}]}`
	try(t, s, func(body string) string { return ask(t, s.URL, body) }, body, "202", wrongs{
		{`"message"`, `"card"`, "not one"},
		{`"1.4"`, `"1.6"`, "Adaptive"},
		{`"good"`, `"red"`, "style"},
		{`"text":"r"`, `"text":""`, "TextRun"},
		{`"TextBlock","text":"<at>L</at>"`, `"TextBlock","text":"L"`, "mention"},
		{`"value":"v"`, `"value":""`, "fact"},
		{`"https://x"`, `""`, "action"},
		{`"FactSet"`, `"Table"`, "unknown"},
		{`"title":"a"`, `"title":"` + strings.Repeat("a", 28<<10) + `"`, "413"},
	})
	if got := ask(t, s.URL+"x", body); !strings.Contains(got, "401") {
		t.Errorf("another signature: got %s, want 401", got)
	}
	s.Advance(time.Hour)
	for range 4 {
		_ = ask(t, s.URL, body)
	}
	if got := ask(t, s.URL, body); !strings.Contains(got, "429") {
		t.Errorf("5 messages at once: %s", got)
	}
}
