package jobs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/portal/stage"
)

// hostile are texts that must be shown unchanged, or with visible control characters.
var hostile = []string{
	`<img src=x onerror="window.pwned=1">`,
	`</script><script>window.pwned=2</script>`,
	"\x1b]0;owned\x07\x1b[31mred",
	"safe\u202egnp.exe",
	`{{constructor.constructor("window.pwned=3")()}}`,
	`"onmouseover="window.pwned=4`,
	`javascript:window.pwned=5`,
}

// TestHostileNames: annotations, messages and logs of a job are shown as text, whatever they
// contain.
func TestHostileNames(t *testing.T) {
	s := stage.New(t, controlplane.Options{Nodes: 1})
	s.Portal()
	notes := map[string]string{"description": strings.Join(hostile, "\n")}
	for i, text := range hostile {
		notes[fmt.Sprintf("hostile-%d", i)] = text
	}
	s.Create("hostile-1", map[string]string{"constructor": "prototype", "toString": "a.b_c"}, notes)
	pod := s.Running("hostile-1")
	s.Say(pod, hostile...)
	s.End(pod, 1, "Error", strings.Join(hostile, " "))
	s.Failed("hostile-1")
	s.Recorded("state=Failed", 1)

	p := s.Tab(browser.New(t))
	p.Open("/jobs?window=all&label=constructor%3Dprototype")
	p.RowShows("hostile-1", "Failed")
	harmless(p)
	p.Follow("hostile-1")
	p.Shows(".job-title", "Failed")
	at := p.Text("location.pathname")
	for path, want := range map[string]string{
		"":          "Why it failed",
		"/pods":     "hostile-1-",
		"/logs":     hostile[0],
		"/yaml":     "onerror",
		"/events":   "",
		"/attempts": "",
	} {
		p.Open(at + path)
		p.Shows("h1", "hostile-1")
		p.Shows("main", want)
		harmless(p)
	}
	p.Open("/jobs?q=" + strings.ReplaceAll("%3Cimg%20src%3Dx%20onerror%3D%22window.pwned%3D1%22%3E", " ", ""))
	p.Shows(".jobs", "No job matches")
	harmless(p)
	p.Close()
}

// harmless checks that no text became an element, ran as a script, or changes the direction
// of other text.
func harmless(p *browser.Tab) {
	p.T.Helper()
	if got := p.Text(`JSON.stringify([window.pwned ?? 0, document.querySelectorAll('img[src="x"], [onerror], [onmouseover], a[href^="javascript:"], body script').length, /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)])`); got != "[0,0,false]" {
		p.T.Errorf("%s: %s", p.Text("location.pathname"), got)
	}
}
