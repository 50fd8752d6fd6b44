package web

import (
	"net/http"
	"strconv"
	"strings"
)

// Languages of texts.
const (
	English = "en"
	Chinese = "zh"
)

// LanguageCookie is the name of the cookie with the language of a person.
const LanguageCookie = "vedette_lang"

// Language returns the language of the answer to a request: English or Chinese. The
// parameter lang decides, then the cookie, then the header Accept-Language.
func Language(r *http.Request) string {
	if l, ok := supported(r.URL.Query().Get("lang")); ok {
		return l
	}
	if c, err := r.Cookie(LanguageCookie); err == nil {
		if l, ok := supported(c.Value); ok {
			return l
		}
	}
	best, weight := English, 0.0
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, params, _ := strings.Cut(part, ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(v, 64) // an invalid weight counts as 0
		}
		if l, ok := supported(strings.TrimSpace(tag)); ok && q > weight {
			best, weight = l, q
		}
	}
	return best
}

// supported returns the language of a tag such as "zh-Hans-CN".
func supported(tag string) (language string, ok bool) {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return primary, primary == English || primary == Chinese
}
