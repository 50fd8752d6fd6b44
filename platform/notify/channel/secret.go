package channel

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// hidden replaces a secret in errors.
	hidden = "[secret]"
	// minSecret is the minimum length of a hidden secret: hiding a shorter one would
	// damage most texts, and nothing so short is secure.
	minSecret = 4
	// minSegment is the minimum length of a path segment that may be a token.
	minSegment = 16
)

// Hide replaces every occurrence of the secrets in text, also in the encodings of URLs,
// JSON and Go.
func Hide(text string, secrets ...string) string {
	var forms []string
	for _, s := range secrets {
		if len(s) >= minSecret {
			forms = append(forms, encodings(s)...)
		}
	}
	// Longest first: a secret may contain another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, hidden)
	}
	return text
}

// encodings returns the forms in which a text may contain a secret.
func encodings(secret string) []string {
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(strconv.Quote(secret), `"`)}
	if quoted, err := json.Marshal(secret); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	return forms
}

// SecretsOf returns the parts of a URL that may be secret: the path, its long segments,
// the query, its values and the password.
func SecretsOf(u *url.URL) []string {
	var found []string
	if path := u.EscapedPath(); len(path) >= minSegment {
		found = append(found, path, u.Path)
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if len(segment) >= minSegment {
			found = append(found, segment)
		}
	}
	if u.RawQuery != "" {
		found = append(found, u.RawQuery)
	}
	for _, values := range u.Query() {
		found = append(found, values...)
	}
	if password, ok := u.User.Password(); ok {
		found = append(found, password)
	}
	return found
}
