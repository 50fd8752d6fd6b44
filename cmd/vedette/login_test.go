package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
)

// home gives the test its own settings folder.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	return dir
}

// startPortal starts a portal over a database, and returns its address.
func startPortal(t *testing.T, r *archive, args ...string) string {
	t.Helper()
	p := start(t, append([]string{"portal", "--db", r.db, "--listen", "127.0.0.1:0", "--kubeconfig", r.srv.kubeconfig}, args...)...)
	t.Cleanup(p.interrupt)
	p.err.until(t, "the address", func(text string) bool { return portalAt.MatchString(text) })
	return strings.TrimSuffix(portalAt.FindStringSubmatch(p.err.String())[1], "/")
}

// awaitReady waits until a portal has loaded the history.
func awaitReady(t *testing.T, base string) {
	t.Helper()
	patience.Until(t, "the portal is ready", func() string {
		status, text := portalAnswer(t, http.MethodGet, base+"/readyz", "")
		if status == http.StatusOK {
			return ""
		}
		return fmt.Sprint(status, " ", text)
	})
}

// lasted matches durations that grow between two commands.
var lasted = regexp.MustCompile(`"?(seconds|Seconds)"?: ?[0-9.e+-]+`)

// TestServerPrintsTheSame checks that commands print the same from a portal and from its database.
func TestServerPrintsTheSame(t *testing.T) {
	home(t)
	r := newArchive(t)
	base := startPortal(t, r)
	awaitReady(t, base)
	for _, line := range []string{
		"history -A -o json",
		"history pods -n ml --oldest-first -o csv --state Failed",
		"history pods -A --limit 3 -o ndjson -l app=yes",
		"history pod/train -n ml -o json",
		"history pod/train -n ml -o wide --state Failed,Deleted",
		"history pod/none -n ml",
		"history pod/train -n nowhere",
		"history podz",
		"history -A --since 2999-01-01",
		"show pod/train -n ml",
		"show pod/train -n ml -o json --at 1",
		"show pod/train -n ml -o jsonpath={.metadata.name}",
		"diff pod/train -n ml",
		"diff pod/quiet -n ml",
		"stats pods -A -o json",
		"stats -n ml -o json",
		"jobs -A -o json",
		"gaps --all -o json",
		"wait pod/train -n ml --for state=Failed --timeout 0",
	} {
		args := strings.Fields(line)
		out, errs, code := r.run(args...)
		p := start(t, append(args, "--server", base)...)
		if got := p.end(); got != code {
			t.Errorf("%s: it ends with %d, and with --db with %d: %s", line, got, code, p.err)
		}
		if a, b := lasted.ReplaceAllString(out, "$1"), lasted.ReplaceAllString(p.out.String(), "$1"); a != b {
			t.Errorf("%s prints\n%s\nand with --db\n%s", line, b, a)
		}
		if p.err.String() != errs {
			t.Errorf("%s says\n%s\nand with --db\n%s", line, p.err, errs)
		}
	}
}

// TestLoginToken checks that a pasted token is stored for the user alone, works, is never printed,
// and is removed by a logout.
func TestLoginToken(t *testing.T) {
	const token = "correct-horse-battery-staple"
	dir := home(t)
	r := newArchive(t)
	base := startPortal(t, r, "--sign-in-tokens", file(t, "tokens.yaml", "tokens:\n- name: ann\n  token: "+token+"\n"))
	said := ""
	run := func(want int, args ...string) string {
		t.Helper()
		p := start(t, append(args, "--server", base)...)
		if code := p.end(); code != want {
			t.Errorf("%q: exit code %d, want %d: %s", args, code, want, p.err)
		}
		said += p.out.String() + p.err.String()
		return p.out.String() + p.err.String()
	}
	awaitReady(t, base)
	if text := run(1, "jobs", "-A"); strings.Count(text, "vedette login") != 1 {
		t.Errorf("without a token: %s", text)
	}
	login(t, 1, "not-the-token", base)
	login(t, 0, token, base)
	path := filepath.Join(dir, "vedette", "logins.json")
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v, error %v; want 0600", path, info, err)
	}
	if text := run(0, "history", "pods", "-A"); !strings.Contains(text, "train") {
		t.Errorf("with a token: got %s, want train", text)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" { // it has no such bits
		if text := run(1, "jobs", "-A"); !strings.Contains(text, "chmod 600") {
			t.Errorf("others may read the logins: got %s, want the remedy", text)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "logout")
	run(1, "jobs", "-A")
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), token) {
		t.Errorf("after the logout: %s %v", text, err)
	}
	if strings.Contains(said, token) {
		t.Errorf("the token is printed: %s", said)
	}
}

// login runs `vedette login` with a token on standard input.
func login(t *testing.T, want int, token, base string) {
	t.Helper()
	stdout, stderr := newOutput(), newOutput()
	root := newRoot(stdout, stderr, false)
	root.SetIn(strings.NewReader(token + "\n"))
	root.SetArgs([]string{"login", "--with", "token", "--server", base})
	err := root.ExecuteContext(t.Context())
	if (err == nil) != (want == 0) {
		t.Errorf("login: got error %v, want exit code %d: %s", err, want, stderr)
	}
	if text := stdout.String() + stderr.String(); strings.Contains(text, token) || err != nil && strings.Contains(err.Error(), token) {
		t.Errorf("the login prints the token: %s %v", text, err)
	}
}

// TestSourcePrecedence checks that a flag overrides the environment, which overrides a file.
func TestSourcePrecedence(t *testing.T) {
	home(t)
	both := file(t, "both.yaml", "db: sqlite:of-file.db\nserver: https://file.invalid\n")
	for _, c := range []struct{ env, args, want string }{
		{"", "--db sqlite:flag.db --server https://flag.invalid", "use one of --db and --server"},
		{"VEDETTE_DB=sqlite:env.db VEDETTE_SERVER=https://env.invalid", "", "use one of --db and --server"},
		{"VEDETTE_DB=sqlite:env.db", "--server http://flag.invalid:1", "flag.invalid"},
		{"VEDETTE_SERVER=https://env.invalid", "--db sqlite:flag.db", "flag.db"},
		{"VEDETTE_SERVER=http://env.invalid:1", "--config " + both, "env.invalid"},
		{"", "--config " + both, "of-file.db"},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			for pair := range strings.FieldsSeq(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			p := start(t, append([]string{"history"}, strings.Fields(c.args)...)...)
			if code := p.end(); code != 1 || !strings.Contains(p.err.String(), c.want) {
				t.Errorf("it ends with %d: %s; want %s", code, p.err, c.want)
			}
		})
	}
}
