package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
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
	s := newStage(t, controlplane.Options{Nodes: 1})
	s.portal()
	notes := map[string]string{"description": strings.Join(hostile, "\n")}
	for i, text := range hostile {
		notes[fmt.Sprintf("hostile-%d", i)] = text
	}
	s.create("hostile-1", map[string]string{"constructor": "prototype", "toString": "a.b_c"}, notes)
	pod := s.running("hostile-1")
	s.say(pod, hostile...)
	s.end(pod, 1, "Error", strings.Join(hostile, " "))
	s.failed("hostile-1")
	s.recorded("state=Failed", 1)

	p := newBrowser(t).tab(s.base)
	p.open("/jobs?window=all&label=constructor%3Dprototype")
	p.rowShows("hostile-1", "Failed")
	p.harmless()
	p.follow("hostile-1")
	p.shows(".job-title", "Failed")
	at := p.text("location.pathname")
	for path, want := range map[string]string{
		"":          "Why it failed",
		"/pods":     "hostile-1-",
		"/logs":     hostile[0],
		"/yaml":     "onerror",
		"/events":   "",
		"/attempts": "",
	} {
		p.open(at + path)
		p.shows("h1", "hostile-1")
		p.shows("main", want)
		p.harmless()
	}
	p.open("/jobs?q=" + strings.ReplaceAll("%3Cimg%20src%3Dx%20onerror%3D%22window.pwned%3D1%22%3E", " ", ""))
	p.shows(".jobs", "No job matches")
	p.harmless()
	p.close()
}

// harmless checks that no text became an element, ran as a script, or changes the direction
// of other text.
func (p *tab) harmless() {
	p.t.Helper()
	if got := p.text(`JSON.stringify([window.pwned ?? 0, document.querySelectorAll('img[src="x"], [onerror], [onmouseover], a[href^="javascript:"], body script').length, /[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)])`); got != "[0,0,false]" {
		p.t.Errorf("%s: %s", p.text("location.pathname"), got)
	}
}
