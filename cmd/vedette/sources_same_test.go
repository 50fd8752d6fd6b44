package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// sameLines are command lines that print the same and end alike with several sources: c is a
// cluster, d is a database, s is a portal. A tilde is a space in an argument.
var sameLines = map[string]string{
	"jobs -n ml -o name --sort name":                                "cds",
	"jobs -n ml -o name --sort name --type jobs,job,Job.batch":      "cds",
	"jobs -n none -o name":                                          "cds",
	"jobs -n ml -o name --state failed":                             "cds",
	"jobs -n ml -o name --sort name --state FAILED,Starting,failed": "cds",
	"jobs -A --state Dancing":                                       "cds",
	"jobs -A --state Failed,":                                       "cds",
	"jobs -n ml -o name --sort name -l app":                         "cds",
	"jobs -n ml -o name --sort name -l app=a":                       "cds",
	"jobs -n ml -o name --sort name -l app==a,!tier":                "cds",
	"jobs -n ml -o name --sort name -l !app":                        "cds",
	"jobs -n ml -o name --sort name -l app!=a":                      "cds",
	"jobs -n ml -o name --sort name -l app~in~(a,b)":                "cds",
	"jobs -n ml -o name --sort name -l app~notin~(a,b)":             "cds",
	"jobs -n ml -o name --sort name -l app~notin~(a),tier":          "cds",
	"jobs -A -l =a":     "cds",
	"jobs -A -l app>1":  "cds",
	"jobs -A -l app~in": "cds",
	"jobs -n ml --sort name -o jsonpath={.name}":                                "cds",
	"jobs -n ml --sort name -o jsonpath=name":                                   "cds",
	"jobs -n ml --sort name -o jsonpath={.name}{.none}{\"\\t\"}{.tries}":        "cds",
	"jobs -n ml --sort name -o jsonpath={range~.life[?(@.gap==true)]}{.x}{end}": "cds",
	"jobs -n ml --sort name -o jsonpath={.life[99].state}":                      "cds",
	"jobs -n ml -o jsonpath":                                                    "cds",
	"jobs -n ml -o jsonpath={":                                                  "cds",
	"jobs -n ml -o json=x":                                                      "cds",
	"jobs -n ml -o xml":                                                         "cds",
	"jobs -n ml --limit -1":                                                     "cds",
	"jobs -n ml --since tomorrow":                                               "cds",
	"jobs -n ml --sort age":                                                     "cds",
	"jobs -n ml --type jobs,,pods":                                              "cds",
	"jobs -n ml --type pods":                                                    "cds",
	"jobs -n ml --queue none":                                                   "cds",
	"logs alone -n ml -o xml":                                                   "cds",
	"logs alone -n ml --since tomorrow":                                         "cds",
	"logs job.v1.batch/alone -n ml -o raw":                                      "cds",
	"retry alone -n ml -o xml":                                                  "cds",
	"retry pods/alone-a/x -n ml -o xml":                                         "cds",
	"cancel -n ml -l app>1":                                                     "cs",
	"cancel -n ml -l app=a,!none --dry-run --yes -o name":                       "cs",
	"cancel -n ml -l app~notin~(a),tier --dry-run":                              "cs",
	"cancel job/none -n ml":                                                     "cs",
	"cancel none -n ml":                                                         "cs",
	"cancel alone -n ml -o xml":                                                 "cs",
	"cancel jobs.batch/waits -n ml --dry-run -o name":                           "cs",
	"release job/none -n ml":                                                    "cs",
	"release job/waits -n ml -o name":                                           "cs",
	"history jobs -A --state dancing":                                           "ds",
	"history jobs -A --state FAILED -o name":                                    "ds",
	"history jobs -A -l !app -o name":                                           "ds",
	"history jobs -A -l app~notin~(a),tier -o name":                             "ds",
	"history jobs -A -l app>1":                                                  "ds",
	"history jobs -A -o jsonpath={.seconds}{.none}{":                            "ds",
	"history jobs -A -o jsonpath={.to}":                                         "ds",
	"history jobs -A --limit -1":                                                "ds",
	"history jobs -A --since tomorrow":                                          "ds",
	"history jobs,, -A":                                                         "ds",
	"history jbos -A":                                                           "ds",
	"history job/alone -n ml -l app=a":                                          "ds",
	"history job/none -n ml":                                                    "ds",
	"wait job/alone -n ml --for state=failed --any":                             "ds",
	"wait job/alone -n ml --for state=dancing":                                  "ds",
	"wait job/alone -n ml --for state=failed,":                                  "ds",
	"wait job/alone -n ml --for gone":                                           "ds",
	"wait job/none -n ml --for deleted --timeout 0 --any":                       "ds",
	"show job/alone -n ml -o name":                                              "ds",
	"show job/alone -n ml -o jsonpath={.status.conditions[?(@.status==\"True\")].reason}": "ds",
	"show job/alone -n ml -o jsonpath={.spec.none}":                                       "ds",
	"show job/alone -n ml -o jsonpath":                                                    "ds",
	"show job/alone -n ml -o yaml=x":                                                      "ds",
	"show job/none -n ml":                                                                 "ds",
	"diff job/alone -n ml --to never":                                                     "ds",
	"diff jbo/alone -n ml":                                                                "ds",
	"stats jobs -A -l !app -o jsonpath={.section}{.name}{.count}":                         "ds",
	"stats jobs -A -l app>1":                                                              "ds",
	"stats jobs -A --top -1":                                                              "ds",
	"stats jbos -A":                                                                       "ds",
	"gaps --limit -1":                                                                     "ds",
	"gaps jbos":                                                                           "ds",
	"gaps --until never":                                                                  "ds",
}

// TestSourcesMeanTheSame runs one table of command lines with a cluster, a database and a portal.
func TestSourcesMeanTheSame(t *testing.T) {
	home(t)
	r := newJobArchive(t, apitest.Config{})
	for name, labels := range map[string]map[string]string{"one": {"app": "a"}, "two": {"app": "b", "tier": "1"}, "three": {"tier": "2"}} {
		r.srv.create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Labels: labels}})
		r.until(name, 1)
	}
	base := startPortal(t, r)
	awaitReady(t, base)
	for _, name := range []string{"one", "two", "three"} {
		awaitJob(t, base, "name="+name)
	}
	flags := map[rune][]string{'c': {"--kubeconfig", r.srv.kubeconfig}, 'd': {"--db", r.db}, 's': {"--server", base}}
	for line, sources := range sameLines {
		t.Run(line, func(t *testing.T) {
			words := strings.Fields(line)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "~", " ")
			}
			first := ""
			for _, s := range sources {
				args := append(words, flags[s]...)
				if s == 'd' && strings.Contains("jobs logs retry", words[0]) {
					args = append(args, flags['c']...)
				}
				p := start(t, args...)
				code := p.end()
				got := strings.Join([]string{string(rune('0' + code)), sameText(p.out.String(), r, base), sameText(p.err.String(), r, base)}, "\n")
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("source %c:\n%s\nsource %c:\n%s", s, got, sources[0], first)
				}
			}
			if regexp.MustCompile(`panic|unknown (shorthand )?flag`).MatchString(first) {
				t.Errorf("the line does not run:\n%s", first)
			}
		})
	}
}

// TestUnknownTypeSuggests: a misspelled type suggests one that the source has, with each source.
func TestUnknownTypeSuggests(t *testing.T) {
	home(t)
	r := newJobArchive(t, apitest.Config{})
	base := startPortal(t, r)
	awaitReady(t, base)
	for _, flags := range [][]string{{"--kubeconfig", r.srv.kubeconfig}, {"--db", r.db}, {"--server", base}} {
		p := start(t, append([]string{"jobs", "--type", "jbos"}, flags...)...)
		if code := p.end(); code != 1 || !strings.Contains(p.err.String(), "did you mean jobs.batch?") {
			t.Errorf("%v: exit code %d and %v, want 1 and a suggestion", flags, code, p.err)
		}
	}
}

// TestNamespaceOfContext: without -n, a command reads the namespace of the kubeconfig's context,
// whatever its source is.
func TestNamespaceOfContext(t *testing.T) {
	home(t)
	r := newJobArchive(t, apitest.Config{})
	base := startPortal(t, r)
	awaitReady(t, base)
	t.Setenv("KUBECONFIG", r.srv.kubeconfig)
	for _, line := range []string{"show job/alone -o name", "history job/alone -o name", "wait job/alone --for state=failed --any", "jobs -o name --state failed", "diff job/alone", "stats jobs -o name", "history jobs -o name"} {
		for _, flags := range [][]string{{"--db", r.db}, {"--server", base}} {
			p := start(t, append(strings.Fields(line), flags...)...)
			if p.end(); p.out.String() == "" {
				t.Errorf("%s %v: it prints nothing: %v", line, flags, p.err)
			}
		}
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	p := start(t, "show", "job/alone", "--db", r.db)
	if code := p.end(); code != 1 || !strings.Contains(p.err.String(), "namespace ml has one") {
		t.Errorf("without a kubeconfig: exit code %d and %v, want the namespace default", code, p.err)
	}
}
