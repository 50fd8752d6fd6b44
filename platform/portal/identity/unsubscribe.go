package identity

import (
	"context"
	_ "embed"
	"html/template"
	"log/slog"
	"net/http"

	"github.com/vedette-io/vedette/platform/portal/web"
)

// pathUnsubscribe is the path of the links that stop messages (RFC 8058). A token follows.
const pathUnsubscribe = "/auth/unsubscribe/"

//go:embed unsubscribe.html
var unsubscribeText string

var unsubscribePage = template.Must(template.New("").Parse(unsubscribeText))

// unsubscribeWords are the texts of the page of a link.
type unsubscribeWords struct {
	Title, Ask, Stop, Done, Wrong, Failed string
}

var unsubscribeWordsOf = map[string]unsubscribeWords{
	"en": {
		Title: "Messages of Vedette", Ask: "Stop the messages to your address about this job, or the digests of this rule for 30 days?", Stop: "Stop the messages",
		Done: "The messages have been stopped.", Wrong: "This link is not valid. Open the link of a newer message, or sign in and change your notifications.",
		Failed: "The messages could not be stopped, because the database does not answer. Try again.",
	},
	"zh": {
		Title: "Vedette 消息", Ask: "停止向你的地址发送此作业的消息，或在 30 天内停止此规则的摘要？", Stop: "停止消息",
		Done: "消息已停止。", Wrong: "此链接无效。请打开较新消息中的链接，或登录后更改通知设置。", Failed: "数据库没有响应，无法停止消息。请重试。",
	},
}

// unsubscriber serves the links of mails.
type unsubscriber struct {
	stop func(ctx context.Context, token string) (bool, error)
	log  *slog.Logger
}

// serve serves the link of a mail. A GET changes nothing, because programs that scan mails
// open links. A POST needs no session: the token alone allows it, and allows nothing else.
func (u *unsubscriber) serve(w http.ResponseWriter, r *http.Request, token string) {
	words := unsubscribeWordsOf[web.Language(r)]
	status, text, ask := http.StatusOK, words.Ask, true
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		ok, err := u.stop(r.Context(), token)
		switch ask = false; {
		case err != nil:
			u.log.Error("messages could not be stopped by the link of a mail", "err", err)
			status, text = http.StatusServiceUnavailable, words.Failed
		case !ok:
			status, text = http.StatusNotFound, words.Wrong
		default:
			text = words.Done
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	_ = unsubscribePage.Execute(w, map[string]any{"Lang": web.Language(r), "Theme": themeOf(r), "W": words, "Text": text, "Ask": ask}) // the browser may be gone
}
