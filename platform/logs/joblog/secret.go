package joblog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secret is a well-known form of a secret within a line.
type secret struct {
	// hints are the possible beginnings of the pattern, in lower case.
	hints []string
	// pattern matches at the beginning of a text. Its group "secret" is the secret;
	// without that group it is the whole match.
	pattern *regexp.Regexp
	// word is set if a hint must begin a word.
	word bool
	// before reports whether the pattern may follow a text. nil means always.
	before func(text string) bool
	// mayBe reports whether a text can be the secret. nil means always.
	mayBe func(text string) bool
}

// value is the value after a name: in quotation marks, or one word.
const value = `(?P<secret>"(?:[^"\\]|\\.)+"|'(?:[^'\\]|\\.)+'|[^\s"',;&\\][^\s"',;&]*)`

// assigned matches the text between a name and its value.
const assigned = `["']?\s*(?:=>|:=|[:=])\s*`

// escaped is the same for JSON within JSON, including the value.
const escaped = `\\+"\s*:\s*\\+"(?P<secret>[^"\\]+)`

var (
	passwords = []string{"password", "passwd", "passphrase", "pwd", "secret"}
	tokens    = []string{"token", "credential", "cookie", "signature", "sig"}
	passOf    = regexp.MustCompile(`(?i)(?:db|database|sql|mariadb|pg|postgres|mongo|mongodb|redis|mq|amqp|kafka|ldap|smtp|mail|ftp|http|proxy|admin|root|user|login|auth|account|registry|docker|git|ssh|sudo)[_.-]?$`)
	keyOf     = regexp.MustCompile(`(?i)(?:api|access|secret|private|account|auth|encryption|signing|storage|license)[ _.-]?$`)
)

// secrets are the well-known forms. The name of a secret must end with the hint, because
// logs of training have "tokens", "tokenizer" and "pad_token_id" in many lines. No pattern
// reads text that the pattern of the next hint reads again, so the time is linear.
var secrets = []secret{
	{hints: passwords, pattern: begin(`\w{3,10}?` + escaped)},
	{hints: passwords, pattern: begin(`(?:password|passwd|passphrase|pwd|secret)` + assigned + value)},
	{hints: []string{"pass"}, pattern: begin(`pass` + assigned + value), before: isSecretPass},
	{hints: []string{"pass"}, pattern: begin(`pass(?:["']?\s*=|["']\s*:)\s*` + value), word: true, mayBe: noCount},
	{hints: []string{"auth"}, pattern: begin(`auth` + assigned + value), before: isAuth, mayBe: random},
	{hints: []string{"token"}, pattern: begin(`token` + escaped)},
	{hints: tokens, pattern: begin(`(?:token|credentials?|cookie|signature|sig)` + assigned + value), mayBe: random},
	{hints: []string{"key"}, pattern: begin(`key` + escaped), before: isSecretKey},
	{hints: []string{"key"}, pattern: begin(`key(?:[_-]?id)?` + assigned + value), before: isSecretKey, mayBe: random},
	{hints: []string{"key"}, pattern: begin(`key(?:[_-]?id)?\s+` + value), before: isSecretKey, mayBe: longRandom},
	{hints: []string{"curl "}, pattern: begin(`curl [^|;&]{0,200}?(?:-u|--user)[ =]?["']?[^\s:"']+:(?P<secret>[^\s"']+)`), word: true},
	{
		hints: []string{"--"}, word: true, mayBe: noFlag,
		pattern: begin(`--[\w.-]*(?:password|passwd|passphrase|secret|token|api-?key|access-?key|credentials?)["',\s]+` + value),
	},
	{
		hints:   []string{"authorization"},
		pattern: begin(`authorization` + assigned + `["'\[]*(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?(?P<secret>[^\s"'\]][^"'\]]*)`),
	},
	{hints: []string{"bearer", "basic"}, word: true, pattern: begin(`(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/-]{12,}=*)`), mayBe: random},
	{hints: []string{"://"}, pattern: begin(`://[^\s/:@"']*:(?P<secret>[^\s/@"']+)@`)},
	{hints: []string{"://"}, pattern: begin(`://(?P<secret>[^\s/:@"']+)@`), mayBe: longRandom},
	{hints: []string{"akia", "asia", "abia", "acca"}, pattern: regexp.MustCompile(`^[A-Z0-9]{20}`)},
	{hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern: begin(`\w{24,}`), word: true},
	{hints: []string{"hf_", "npm_", "dop_v1_", "sk_live_", "sk_test_", "rk_live_", "rk_test_"}, pattern: begin(`\w{24,}`), word: true, mayBe: random},
	{hints: []string{"sk-", "glpat-", "pypi-", "xox", "aiza", "ya29.", "hvs."}, pattern: begin(`(?:sk-|glpat-|pypi-|xox[a-z]-|aiza|ya29\.|hvs\.)[\w-]{16,}`), word: true, mayBe: random},
	{hints: []string{"dapi"}, pattern: begin(`dapi[0-9a-f]{32}`), word: true},
	{hints: []string{"eyj"}, pattern: regexp.MustCompile(`^eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`), word: true}, // JSON Web Tokens
	{ // URLs that are secrets
		hints:   []string{"hooks.slack.com/", "open-apis/bot/", "access_token=", "send?key="},
		pattern: begin(`(?:hooks\.slack\.com/(?:services|workflows|triggers)/|open-apis/bot/(?:v2/)?hook/|access_token=|send\?key=)(?P<secret>[\w/+%-]{8,})`),
	},
}

// begin compiles a case-insensitive pattern that matches at the beginning.
func begin(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)^` + pattern) }

// replaceSecrets replaces the well-known secrets of a line.
func replaceSecrets(line string) string {
	if len(line) < 8 {
		return line
	}
	lower := lowerCase(line)
	for i := range secrets {
		s := &secrets[i]
		for _, hint := range s.hints {
			if !strings.Contains(lower, hint) {
				continue
			}
			if replaced := s.replace(line, lower, hint); replaced != line {
				line, lower = replaced, lowerCase(replaced)
			}
		}
	}
	return line
}

// lowerCase returns a text with ASCII letters in lower case. The length does not change.
func lowerCase(text string) string {
	i := 0
	for i < len(text) && (text[i] < 'A' || text[i] > 'Z') {
		i++
	}
	if i == len(text) {
		return text
	}
	lower := []byte(text)
	for ; i < len(lower); i++ {
		if c := lower[i]; c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// replace replaces the secrets of one form that begin with a hint.
func (s *secret) replace(line, lower, hint string) string {
	group := max(0, 2*s.pattern.SubexpIndex("secret"))
	var b strings.Builder
	end := 0 // end of the text that is already written
	for at := 0; ; {
		i := strings.Index(lower[at:], hint)
		if i < 0 {
			break
		}
		at += i
		if s.word && at > 0 && isWord(line[at-1]) || s.before != nil && !s.before(line[max(0, at-16):at]) {
			at += len(hint)
			continue
		}
		m := s.pattern.FindStringSubmatchIndex(line[at:])
		if m == nil {
			at += len(hint)
			continue
		}
		from, to := at+m[group], at+m[group+1]
		at = max(to, at+len(hint))
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

// isWord reports whether a byte can be in a token.
func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '.'
}

// isSecretKey reports whether "key" after a text names a secret, as in "api_key".
func isSecretKey(text string) bool { return keyOf.MatchString(text) }

// isSecretPass reports whether "pass" after a text names a password, as in "DB_PASS". Training has
// forward passes.
func isSecretPass(text string) bool { return passOf.MatchString(text) }

// isAuth reports whether "auth" after a text is a key, as in the files of Docker and npm.
func isAuth(text string) bool {
	return strings.HasSuffix(text, `"`) || strings.HasSuffix(text, `'`) || strings.HasSuffix(text, ":_")
}

// noCount reports whether a text is neither a number nor the result of a check.
func noCount(text string) bool {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return false
	}
	return !slices.Contains([]string{"true", "false", "yes", "no", "none", "null"}, strings.ToLower(text))
}

// noFlag reports whether a text is the value of a flag, not the next flag.
func noFlag(text string) bool { return !strings.HasPrefix(text, "-") }

// longRandom reports whether a text is long for a word, and may be a generated secret.
func longRandom(text string) bool { return len(text) >= 16 && random(text) }

// random reports whether a text may be a generated secret: it has digits and letters, or
// is long.
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
