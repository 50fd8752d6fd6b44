package web_test

import (
	"net/http"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/web"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ query, cookie, header, want string }{
		{"", "", "", "en"},
		{"zh", "en", "en", "zh"},
		{"fr", "zh", "en", "zh"},
		{"", "", "zh-Hans-CN,zh;q=0.9,en;q=0.8", "zh"},
		{"", "", "en-US,en;q=0.9,zh;q=0.8", "en"},
		{"", "", "fr, zh;q=0.3, en;q=0.2", "zh"},
		{"", "", "zh;q=x", "en"},
		{"", "fr", "de", "en"},
	} {
		r := get("/?lang=" + c.query)
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: web.LanguageCookie, Value: c.cookie})
		}
		r.Header.Set("Accept-Language", c.header)
		if got := web.Language(r); got != c.want {
			t.Errorf("%+v: got %s, want %s", c, got, c.want)
		}
	}
}
