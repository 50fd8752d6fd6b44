package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/testinput"
)

// file writes a file into a new folder.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ended runs the program to its end.
func ended(t *testing.T, want int, args ...string) (out, err string) {
	t.Helper()
	p := start(t, args...)
	if code := p.end(); code != want {
		t.Fatalf("exit code %d, want %d:\n%v\n%v", code, want, p.out, p.err)
	}
	return p.out.String(), p.err.String()
}

// TestConfigMistakes checks that one error reports all mistakes in order, each on a line with its
// place.
func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	path := file(t, "bad.yaml", `db: [a]
dbb: x
name: {a: b}
wait-for-types: "yes"
db: sqlite:x.db
redact: [spec..x, spec]
clusters:
- context: a
  resources:
  - type: jobs
    namespace: ml
  - type: jobs,pods
    selector: "a in"
  - type: pods
  - type: pods
  - type: nodes
    uid-ranges: 3
- context: a
- resources: []
`)
	_, text := ended(t, 1, "config", "view", "--config", path)
	want := `vedette: bad.yaml:2: the configuration has no field "dbb"; it has clusters, db, server, server-ca, name, rules, redact, spill, listen, wait-for-types, fail-fast, log-level, keep, keep-rule, keep-state, keep-bodies, keep-last, max-size, keep-feed, keep-logs, tail-logs, log-lines, redact-logs, keep-logs-for, max-job-logs, max-logs, join, join-lease, replicas-per-shard, traces, traces-headers, notify, keep-messages, portal, tls-cert, tls-key, portal-url, portal-hosts, sign-in-tokens, sign-in-clusters, oidc-issuer, oidc-client, oidc-secret, oidc-scopes, oidc-name-claim, oidc-groups-claim, oidc-name-prefix, oidc-groups-prefix, oidc-audiences, oidc-ca, trusted-proxy, proxy-name-header, proxy-groups-header, session-key, rights, operators, portal-templates, trace-url, read-replica, read-replica-max-age
vedette: bad.yaml:3: name must be a word
vedette: bad.yaml:4: wait-for-types must be true or false
vedette: bad.yaml:5: the configuration has "db" twice
vedette: bad.yaml:6: redact: "spec..x" is not a field path: separate names with dots, as in spec.template.spec.containers.env, without array indexes, and write \. for a dot within a name
vedette: bad.yaml:11: a resource has no field "namespace"; it has type, namespaces, selector, field-selector, uid-ranges
vedette: bad.yaml:12: type is "jobs,pods"; it must name one type, such as jobs.batch
vedette: bad.yaml:13: selector "a in": unable to parse requirement: found '' expected: '('
vedette: bad.yaml:15: line 14 already names pods with the same namespace and selectors
vedette: bad.yaml:17: uid-ranges is "3"; it must be a power of two up to 256
vedette: bad.yaml:18: this cluster has the same name as the one in line 8 ("a"): give each a name
vedette: bad.yaml:18: resources is missing
vedette: bad.yaml:19: resources is empty: name the types to record
`
	if diff := cmp.Diff(want, strings.ReplaceAll(text, path, "bad.yaml")); diff != "" {
		t.Errorf("mistakes in the file (-want +got):\n%s", diff)
	}
}

// rows makes single spaces of columns.
func rows(text string) []string {
	text = regexp.MustCompile(`  +`).ReplaceAllString(strings.TrimSpace(text), " | ")
	return strings.Split(text, "\n")
}

// TestPrecedence checks that a flag overrides the environment, which overrides the file, which
// overrides the default, and that config view shows the origin.
func TestPrecedence(t *testing.T) {
	path := file(t, "vedette.yaml", `db: sqlite:of-the-file.db
name: of-the-file
rules: r/rules.yaml
spill: spill
notify: n/notify.yaml
wait-for-types: true
clusters:
- resources: [{type: pods, namespaces: ml}]
`)
	if err := os.Mkdir(filepath.Join(filepath.Dir(path), "r"), 0o700); err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(filepath.Dir(path), "r", "rules.yaml")
	if err := os.WriteFile(rules, []byte("rules: []"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VEDETTE_CONFIG", path)
	t.Setenv("VEDETTE_DB", "postgres://me:geheim@db/history?password=geheim")
	t.Setenv("VEDETTE_NAME", "of-the-environment")
	t.Setenv("VEDETTE_REDACT", "spec.a,spec.b")
	t.Setenv("VEDETTE_LISTEN", "") // as good as unset
	t.Setenv("VEDETTE_DB_PASSWORD", "geheim")
	out, _ := ended(t, 0, "config", "view", "--name", "of-the-flag")
	want := []string{
		"SETTING | VALUE | FROM",
		"config | F | VEDETTE_CONFIG",
		"db | postgres://me@db/history | VEDETTE_DB",
		"name | of-the-flag | --name",
		"rules | R | F:3",
		"redact | spec.a, spec.b | VEDETTE_REDACT",
		"spill | S | F:4",
		"listen | - | default",
		"wait-for-types | true | F:6",
		"fail-fast | false | default",
		"log-level | INFO | default",
		"keep | - | default",
		"keep-rule | - | default",
		"keep-state | - | default",
		"keep-bodies | - | default",
		"keep-last | 1 | default",
		"max-size | - | default",
		"keep-feed | - | default", "keep-logs | - | default", "tail-logs | - | default", "log-lines | 500 | default", "redact-logs | - | default",
		"keep-logs-for | - | default", "max-job-logs | - | default", "max-logs | - | default",
		"join | false | default", "join-lease | 15s | default", "replicas-per-shard | 2 | default",
		"traces | - | default", "traces-headers | - | default",
		"notify | N | F:5",
		"keep-messages | - | default", "portal | true | default", "tls-cert | - | default", "tls-key | - | default", "portal-url | - | default", "portal-hosts | - | default", "sign-in-tokens | - | default", "sign-in-clusters | false | default", "oidc-issuer | - | default", "oidc-client | - | default", "oidc-secret | - | default", "oidc-scopes | - | default", "oidc-name-claim | - | default", "oidc-groups-claim | - | default", "oidc-name-prefix | - | default", "oidc-groups-prefix | - | default", "oidc-audiences | - | default", "oidc-ca | - | default", "trusted-proxy | - | default", "proxy-name-header | - | default", "proxy-groups-header | - | default", "session-key | - | default", "rights | false | default", "operators | - | default", "portal-templates | - | default", "trace-url | - | default",
		"db-password | (set, not shown) | VEDETTE_DB_PASSWORD",
		"cluster | the current context | F:8",
		" | pods | ml | F:8",
	}
	if diff := cmp.Diff(want, rows(strings.NewReplacer(path, "F", rules, "R", filepath.Join(filepath.Dir(path), "spill"), "S", filepath.Join(filepath.Dir(path), "n", "notify.yaml"), "N").Replace(out))); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if strings.Contains(out, "geheim") {
		t.Error("a password is shown")
	}
	// Types on the command line replace the clusters.
	out, _ = ended(t, 0, "config", "view", "jobs,nodes", "--context", "a,b", "-A")
	for _, want := range []string{"cluster | a | the command line", "cluster | b | the command line", "jobs | all | the command line", "clusters | not used, because types are named | F:8"} {
		if got := strings.Join(rows(strings.ReplaceAll(out, path, "F")), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// TestSettingsOfAll checks that all commands read a setting in the same way.
func TestSettingsOfAll(t *testing.T) {
	path := file(t, "vedette.yaml", "db: sqlite:/nowhere/history.db\n")
	t.Setenv("VEDETTE_CONFIG", path)
	for _, args := range [][]string{{"history", "pods/x"}, {"migrate", "status"}, {"migrate", "up"}} {
		_, text := ended(t, 1, args...)
		if !strings.Contains(text, "sqlite:/nowhere/history.db") {
			t.Errorf("%v: said %s; want the database of the file", args, text)
		}
	}
	t.Setenv("VEDETTE_WAIT_FOR_TYPES", "maybe")
	if _, text := ended(t, 1, "record", "pods"); text != "vedette: VEDETTE_WAIT_FOR_TYPES is \"maybe\"; it must be true or false\n" {
		t.Errorf("a bad boolean in the environment: said %s; want true or false", text)
	}
}

// TestExample checks that the example is valid and has every key.
func TestExample(t *testing.T) {
	testinput.Uncached(t)
	t.Parallel()
	const path = "../../examples/record/vedette.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for indent, keys := range map[string][]string{"": settings.FileKeys(), "(- |  )": settings.ClusterKeys, "(  - |    )": settings.ResourceKeys} {
		for _, key := range keys {
			if !regexp.MustCompile(`(?m)^` + indent + key + `:`).Match(text) {
				t.Errorf("the example lacks %s%s", indent, key)
			}
		}
	}
	out, _ := ended(t, 0, "config", "view", "--config", path)
	for _, want := range []string{"recorder-a", "metadata.annotations.example\\.com/token", "180d", "200GiB", "ml, research with app=train with spec.schedulerName=volcano", "prod-b of ../../examples/record/prod-b.kubeconfig", "experiments.example.com"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}
