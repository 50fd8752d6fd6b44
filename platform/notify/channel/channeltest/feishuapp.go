package channeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// Credentials of the app of NewFeishuApp. Server.Token is the secret.
const (
	FeishuAppID = "cli_a1b2c3d4e5f6a7b8"
	feishuApp   = "dskLLdkasdjlasdKKqwertyuiop12345"
)

// NewFeishuApp starts a server that behaves like the API of Feishu for an app with a bot.
func NewFeishuApp(t testing.TB) *Server { return serve(t, &feishuAPI{}, feishuApp) }

type feishuAPI struct {
	tokens  atomic.Int64 // number of issued tokens; the last one is valid
	revoked atomic.Bool
}

// FeishuAppToken returns the nth token that the server issues, from 1.
func FeishuAppToken(n int64) string { return fmt.Sprintf("t-caecc734c2e3328a62489fe0648c4b%010d", n) }

func (f *feishuAPI) message(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/im/v1/messages")
}

// other issues tokens.
func (f *feishuAPI) other(r *http.Request) reply {
	if r.Method != http.MethodPost || r.URL.Path != "/open-apis/auth/v3/tenant_access_token/internal" {
		return reply{status: http.StatusNotFound}
	}
	body, _ := io.ReadAll(r.Body)
	if o := parse(string(body)); o.text("app_id") != FeishuAppID || o.text("app_secret") != feishuApp {
		return feishuAnswer(10014, "app secret invalid")
	}
	return reply{body: fmt.Sprintf(`{"code":0,"msg":"ok","tenant_access_token":%q,"expire":7200}`, FeishuAppToken(f.tokens.Add(1)))}
}

func (f *feishuAPI) fail(fault Fault, words string) reply {
	code := map[channel.ErrorKind]int{channel.Temporary: 230013, channel.Throttled: 230020, channel.Permanent: 230001}[fault.Kind]
	answer := feishuAnswer(code, words)
	answer.status = http.StatusBadRequest
	if fault.RetryAfter > 0 {
		answer.header.Set("X-Ogw-Ratelimit-Reset", fmt.Sprint(int(fault.RetryAfter.Seconds())))
	}
	return answer
}

// limit enforces five messages per second.
func (f *feishuAPI) limit(earlier []time.Time, now time.Time) (reply, bool) {
	return f.fail(Fault{Kind: channel.Throttled}, "frequency limit"), within(earlier, now, time.Second) >= 5
}

func (f *feishuAPI) check(r *request) reply {
	refuse := func(code int, words string) reply {
		answer := feishuAnswer(code, words)
		answer.status = http.StatusBadRequest
		return answer
	}
	body := parse(string(r.body))
	kind, id := r.URL.Query().Get("receive_id_type"), body.text("receive_id")
	valid := map[string]bool{
		"open_id": strings.HasPrefix(id, "ou_"), "chat_id": strings.HasPrefix(id, "oc_"), "email": strings.Contains(id, "@"), "user_id": id != "",
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+FeishuAppToken(f.tokens.Load()) || f.revoked.Load():
		f.revoked.Store(false)
		return refuse(99991663, "Invalid access token for authorization")
	case len(r.body) > 30<<10:
		return refuse(230025, "the length of the message content reaches its limit")
	case !valid[kind] || body.text("msg_type") != "interactive" || len(body.text("uuid")) > 50:
		return refuse(230001, "Your request contains an invalid request parameter, ext=invalid receive_id.")
	}
	var card map[string]any
	if err := json.Unmarshal([]byte(body.text("content")), &card); err != nil {
		return refuse(230001, "content is not a string in json format")
	}
	if wrong := feishuCard(card); wrong != "" {
		return refuse(230099, wrong)
	}
	return reply{body: `{"code":0,"msg":"success","data":{"message_id":"om_dc13264520392913993dd051dba21dcf"}}`, accepted: true}
}

// RevokeFeishuToken makes the API refuse the token of the next message.
func (s *Server) RevokeFeishuToken() {
	if f, ok := s.rules.(*feishuAPI); ok {
		f.revoked.Store(true)
	}
}

// FeishuCard returns the body of a custom bot with the card of a message that an app sent.
func FeishuCard(payload string) string { return `{"card":` + parse(payload).text("content") + `}` }
