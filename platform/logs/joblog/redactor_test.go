package joblog_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// redactor returns a redactor with patterns.
func redactor(t interface {
	Helper()
	Fatal(args ...any)
}, patterns ...string,
) *joblog.Redactor {
	t.Helper()
	r, err := joblog.NewRedactor(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The secrets are concatenated here, so that secret scanners do not report them.
const (
	aws    = "AKIA" + "ABCDEFGHIJKLMNOP"
	github = "ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789"
	jwt    = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl"
)

// TestSecrets: well-known secrets are replaced, and the text around them is unchanged.
func TestSecrets(t *testing.T) {
	r := redactor(t)
	for text, want := range map[string]string{
		"password=hunter2 user=li":                                         "password=[redacted] user=li",
		"DB_PASSWORD: hunter2":                                             "DB_PASSWORD: [redacted]",
		`{"password": "a b\" c", "user": "li"}`:                            `{"password": "[redacted]", "user": "li"}`,
		`{\"password\": \"hunter2\"}`:                                      `{\"password\": \"[redacted]\"}`,
		"--password hunter2 --user li":                                     "--password [redacted] --user li",
		`["--api-key", "abc", "x"]`:                                        `["--api-key", "[redacted]", "x"]`,
		"WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567":           "WANDB_API_KEY=[redacted]",
		"token: abc123def456":                                              "token: [redacted]",
		"export AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG'":             "export AWS_SECRET_ACCESS_KEY='[redacted]'",
		"using " + aws + " now":                                            "using [redacted] now",
		"Authorization: Bearer abc.def-123":                                "Authorization: Bearer [redacted]",
		`"authorization": ["Basic dXNlcjpwYXNz"], "a": 1`:                  `"authorization": ["Basic [redacted]"], "a": 1`,
		"curl -H 'Authorization: token 123' https://x":                     "curl -H 'Authorization: token [redacted]' https://x",
		"sent bearer " + strings.Repeat("a1", 10):                          "sent bearer [redacted]",
		"postgres://li:hunter2@db:5432/x":                                  "postgres://li:[redacted]@db:5432/x",
		"clone https://:" + github + "@github.com/a/b":                     "clone https://:[redacted]@github.com/a/b",
		"got " + github + ".":                                              "got [redacted].",
		"jwt " + jwt + " end":                                              "jwt [redacted] end",
		"GET /f?X-Amz-Signature=" + strings.Repeat("a1", 32):               "GET /f?X-Amz-Signature=[redacted]",
		"export DB_PASS=hunter2":                                           "export DB_PASS=[redacted]",
		"smtp.pass: hunter2":                                               "smtp.pass: [redacted]",
		`{"pass": "hunter2", "rootPass": "x"}`:                             `{"pass": "[redacted]", "rootPass": "[redacted]"}`,
		"GET /login?user=li&pass=hunter2":                                  "GET /login?user=li&pass=[redacted]",
		`{"auths": {"r.io": {"auth": "bGk6aHVudGVyMg=="}}}`:                `{"auths": {"r.io": {"auth": "[redacted]"}}}`,
		"//registry.example.com/:_auth=bGk6aHVudGVyMg==":                   "//registry.example.com/:_auth=[redacted]",
		"curl -s -u li:hunter2 https://x":                                  "curl -s -u li:[redacted] https://x",
		"+ curl --user 'li:hunter 2' https://x":                            "+ curl --user 'li:[redacted] 2' https://x",
		"curl -uli:hunter2 https://x":                                      "curl -uli:[redacted] https://x",
		"clone https://" + strings.Repeat("a1", 10) + "@git.example.com/a": "clone https://[redacted]@git.example.com/a",
		"api_key " + strings.Repeat("a1", 10):                              "api_key [redacted]",
		"client_secret => 'x'":                                             "client_secret => '[redacted]'",
		"-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----\\n": "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\\n",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestNoSecrets: typical lines of training are unchanged.
func TestNoSecrets(t *testing.T) {
	r := redactor(t)
	for _, text := range []string{
		"step 1200 | loss 2.31 | tokens: 1048576 | tokens/s=51234 | lr 3e-4",
		"tokenizer: LlamaTokenizerFast(vocab_size=128000)", "eos_token='<|endoftext|>' pad_token_id=0", "max_token=2048",
		"SyntaxError: Unexpected token: identifier", "KeyError: 'layers.0'", "primary_key=id foreign key: user",
		"https://pypi.org:443/simple", "a secretary passed words", "Basic functionality is here", "--tokens 5 --no-password --verbose",
		"-----BEGIN CERTIFICATE-----", "2026-11-22T08:00:00Z INFO at 10:00", "cat /run/secrets/kubernetes.io", "sk-learn 1.4", "",
		"forward_pass: 12ms backward_pass=31ms", "tests pass=12 fail=0", "first pass: loss 2.3", "bypass=true", "ssh://git@git.example.com/a.git",
		"docker run -u 1000:1000 x", "the API key is invalid", "secret key step1000", "author: li", "curl https://x/u:v", "auth: none", "python -u train.py:main",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q: got %q, want it unchanged", text, got)
		}
	}
}

// TestPrivateKeys: a key of several lines is replaced, even if its begin or its end is
// missing, or if a logger adds a prefix to each line.
func TestPrivateKeys(t *testing.T) {
	r := redactor(t)
	const begin, end = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
	content := strings.Repeat(strings.Repeat("Kf3+", 16)+"\n", 5) + "Kf3="
	prefixed := "INFO: " + strings.ReplaceAll(content, "\n", "\nINFO: ")
	short := "INFO: Kf3=" // four letters after a prefix count as a key only before an end mark
	for name, text := range map[string]string{
		"all":           "before\n" + begin + "\n" + content + "\n" + end + "\nafter it",
		"prefixed":      "before\nINFO: " + begin + "\n" + prefixed + "\nINFO: " + end + "\nafter it",
		"no begin":      content + "\n" + end + "\nafter it",
		"end only":      "before\n" + content + "\n" + end + "\nafter it",
		"no end":        "before\n" + begin + "\n" + content,
		"no end, after": "before\n" + begin + "\n" + content + "\nafter it",
		"middle":        content + "\nafter it",
		"headers":       "before\n" + begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + content + "\n" + end + "\nafter it",
	} {
		got := r.Text(text)
		if strings.Contains(strings.ReplaceAll(got, short, ""), "Kf3") || strings.Count(got, "\n") != strings.Count(text, "\n") ||
			strings.Contains(text, "after") != strings.Contains(got, "after it") || strings.Contains(text, "before") != strings.Contains(got, "before\n") {
			t.Errorf("%s: got %q, want only the key removed", name, got)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%s: a second pass makes %q out of %q, want no change", name, again, got)
		}
	}
}

// TestPatterns: patterns of users, with and without a group, across lines.
func TestPatterns(t *testing.T) {
	r := redactor(t, `ticket-\d+`, `customer=(?P<secret>\w+)`, `(?s)<<.*?>>`, `^pin .*$`)
	got := r.Text("ticket-12 and ticket-3\ncustomer=li x\nno <<a\nb\nc>> d\npin 1234\na pin 1234\ncustomer= x")
	want := "[redacted] and [redacted]\ncustomer=[redacted] x\nno [redacted]\n[redacted]\n[redacted] d\n[redacted]\na pin 1234\ncustomer= x"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lines := []joblog.Line{{Time: start, Text: "a <<"}, {Time: start.Add(1e9), Text: "b >> c"}}
	r.Redact(lines)
	if words(lines) != "a [redacted]|[redacted] c" || !lines[1].Time.Equal(start.Add(1e9)) {
		t.Errorf("got %+v, want the secret removed from both lines", lines)
	}
}

// TestWrongPatterns: the error has each mistake.
func TestWrongPatterns(t *testing.T) {
	_, err := joblog.NewRedactor([]string{"a", "(b", " ", "c*", `(?<=d)e`, "x{2000}"})
	for _, want := range []string{
		`pattern 2 for secrets, "(b": missing closing )`, `pattern 3 for secrets, " ": the pattern is empty`, `pattern 4 for secrets, "c*": it matches the empty text`,
		`pattern 5 for secrets, "(?<=d)e": invalid named capture`, `pattern 6 for secrets, "x{2000}": invalid repeat count`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, err := joblog.NewRedactor(make([]string, 101)); err == nil {
		t.Error("101 patterns are accepted")
	}
}

// TestRedactorTime: hostile text costs no more than other text. With a quadratic pattern,
// each of these takes minutes.
func TestRedactorTime(t *testing.T) {
	r := redactor(t, `https?://\S+\.internal`)
	parts := []string{
		"password=", `token="`, "--", "--a", "://", "://a:", "eyJ", "-----BEGIN ", "-----BEGIN A PRIVATE KEY-----", "-----END A PRIVATE KEY-----", "PRIVATE KEY", "authorization: ",
		"bearer ", `secret='\`, "http://", "sk-", "\x00\xff", "token token", "access_token=", "key key_id",
	}
	redacted := make(chan struct{}, len(parts))
	go func() {
		for _, part := range parts {
			r.Text(strings.Repeat(part, (128<<10)/len(part)))
			r.Text(strings.Repeat(part+"\n", (64<<10)/len(part)))
			redacted <- struct{}{}
		}
	}()
	for _, part := range parts {
		patience.Receive(t, fmt.Sprintf("redaction of %q", part), redacted)
	}
}

// TestRedactorProperties: the number of lines is unchanged, valid text stays valid, and no
// AWS key remains.
func TestRedactorProperties(t *testing.T) {
	r := redactor(t, `z(?P<secret>\w+)z`)
	word := rapid.SampledFrom([]string{
		"password", "=", ": ", `"`, "'", "\\", "token", "abc123def", " ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", strings.Repeat("Ab1+", 16), "\n", "é", "\xff", "\x00",
		"://a:b@c", "Authorization", "Bearer ", "--secret ", aws, jwt, "[redacted]", "zabz", ",", "[",
	})
	testinput.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(word).Draw(t, "words"), "")
		got := r.Text(text)
		switch {
		case strings.Count(got, "\n") != strings.Count(text, "\n"):
			t.Fatalf("%q has other lines: %q", text, got)
		case utf8.ValidString(text) && !utf8.ValidString(got):
			t.Fatalf("%q is no longer valid: %q", text, got)
		case strings.Contains(got, aws):
			t.Fatalf("%q: got %q, want it without the key", text, got)
		}
	})
}

// FuzzRedactor: no input causes a failure, and no AWS key remains.
func FuzzRedactor(f *testing.F) {
	f.Add("password=x", `a(?P<secret>b)`)
	f.Add("-----BEGIN A PRIVATE KEY-----\nabc\n\n-----END A PRIVATE KEY-----x-----BEGIN B PRIVATE KEY-----", ".")
	key := regexp.MustCompile(`AKIA[A-Z0-9]{16}`)
	f.Fuzz(func(t *testing.T, text, pattern string) {
		patterns := []string{pattern}
		if _, err := joblog.NewRedactor(patterns); err != nil {
			patterns = nil
		}
		got := redactor(t, patterns...).Text(text)
		if strings.Count(got, "\n") != strings.Count(text, "\n") || len(patterns) == 0 && key.MatchString(got) {
			t.Errorf("%q: got %q, want as many lines, without the key", text, got)
		}
	})
}
