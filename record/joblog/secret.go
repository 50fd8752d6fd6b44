package joblog

import (
	"regexp"
	"strings"
)

// secret is a well-known form of a secret within a line.
type secret struct {
	// hints are words in lower case. A line without any of them has no such secret.
	hints   []string
	pattern *regexp.Regexp
	// mayBe says whether a text can be the secret. If nil, it always is.
	mayBe func(text string) bool
}

// value is the value after a name: in quotation marks, or one word.
const value = `(?P<secret>"(?:[^"\\]|\\.)+"|'(?:[^'\\]|\\.)+'|[^\s"',;&\\][^\s"',;&]*)`

// assigned is what stands between a name and its value, also within JSON within JSON.
const assigned = `\\?["']?\s*(?:=>|:=|[:=])\s*\\?`

// secrets are the well-known forms. Names of secrets are the last word of a name: logs of
// training have "tokens", "tokenizer" and "pad_token_id" in many lines.
var secrets = []secret{
	{
		hints:   []string{"password", "passwd", "passphrase", "pwd", "secret"},
		pattern: regexp.MustCompile(`(?i)(?:password|passwd|passphrase|pwd|secret)` + assigned + value),
	},
	{
		hints:   []string{"token", "key", "credential", "cookie", "signature", "sig"},
		pattern: regexp.MustCompile(`(?i)(?:token|(?:api|access|secret|private|account|auth|encryption|signing|storage|license)[ _.-]?key(?:[_-]?id)?|credentials?|cookie|signature|\bsig)` + assigned + value),
		mayBe:   random,
	},
	{
		hints:   []string{"--"},
		pattern: regexp.MustCompile(`(?i)--[\w.-]*(?:password|passwd|passphrase|secret|token|api-?key|access-?key|credentials?)["',\s]+` + value),
		mayBe:   func(text string) bool { return !strings.HasPrefix(text, "-") },
	},
	{
		hints:   []string{"authorization"},
		pattern: regexp.MustCompile(`(?i)authorization` + assigned + `["'\[]*(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?(?P<secret>[^\s"'\]][^"'\]]*)`),
	},
	{
		hints:   []string{"bearer", "basic"},
		pattern: regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/-]{12,}=*)`),
		mayBe:   random,
	},
	{
		hints:   []string{"://"},
		pattern: regexp.MustCompile(`://[^\s/:@"']*:(?P<secret>[^\s/@"']+)@`),
	},
	{
		hints:   []string{"akia", "asia", "abia", "acca"},
		pattern: regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`),
	},
	{
		hints:   []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "sk-", "sk_", "rk_", "npm_", "pypi-", "xox", "aiza", "ya29.", "dop_v1_", "hvs.", "dapi"},
		pattern: regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|sk-[\w-]{20,}|[sr]k_(?:live|test)_\w{16,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|xox[a-z]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|dop_v1_[0-9a-f]{40,}|hvs\.[\w-]{20,}|dapi[0-9a-f]{32})`),
	},
	{
		hints:   []string{"eyj"}, // the beginning of a JSON Web Token
		pattern: regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`),
	},
	{
		hints:   []string{"hooks.slack.com/", "open-apis/bot/", "access_token=", "send?key="}, // addresses that are secrets
		pattern: regexp.MustCompile(`(?:hooks\.slack\.com/(?:services|workflows|triggers)/|open-apis/bot/(?:v2/)?hook/|access_token=|send\?key=)(?P<secret>[\w/+%-]{8,})`),
	},
}

// replaceSecrets replaces the well-known secrets of a line.
func replaceSecrets(line string) string {
	if len(line) < 8 {
		return line
	}
	lower := strings.ToLower(line)
	for i := range secrets {
		s := &secrets[i]
		for _, hint := range s.hints {
			if strings.Contains(lower, hint) {
				line = s.replace(line)
				break
			}
		}
	}
	return line
}

// replace replaces the secrets of one form.
func (s *secret) replace(line string) string {
	group := max(0, 2*s.pattern.SubexpIndex("secret"))
	var b strings.Builder
	end := 0
	for _, m := range s.pattern.FindAllStringSubmatchIndex(line, -1) {
		from, to := m[group], m[group+1]
		if quoted := to-from >= 2 && (line[from] == '"' || line[from] == '\''); quoted && line[to-1] == line[from] {
			from, to = from+1, to-1
		}
		if strings.HasPrefix(line[from:to], redacted) || s.mayBe != nil && !s.mayBe(line[from:to]) {
			continue
		}
		b.WriteString(line[end:from])
		b.WriteString(redacted)
		end = to
	}
	if end == 0 {
		return line
	}
	b.WriteString(line[end:])
	return b.String()
}

// random reports whether a text can be a secret that a program made: it has digits and
// letters, or is long.
func random(text string) bool {
	digits, letters := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters = true
		}
	}
	return len(text) >= 6 && digits && letters || len(text) >= 24 && letters
}
