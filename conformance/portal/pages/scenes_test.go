package pages_test

import (
	"cmp"
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
)

var (
	only   = flag.String("portal.only", "", "regular expression for the names of scenes")
	looks  = flag.String("portal.looks", "", "regular expression for the looks of scenes, such as light-en-1440")
	target = flag.String("portal.target", "", "address of a portal to use instead of the sample data")
)

// scene is a page in one state.
type scene struct {
	browser.View
	act    func(p *browser.Tab) // actions on the page
	shut   string               // prefix of API paths with a different answer
	fault  *api.Problem         // the answer; nil: none
	long   bool                 // the page is longer than the window
	desk   bool                 // not on phones
	absent bool                 // the page does not exist
}

// Jobs of the sample data with a detailed history.
const (
	jobFailed  = "/jobs/gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb"
	jobWaiting = "/jobs/gpu-west/7d21f0c4-52b1-4e0e-9d0b-1f6f3f1d2024"
	jobRunning = "/jobs/gpu-west/5ae1c9d0-77f2-4a15-8c54-0d9b1c8e0007"
)

// aside returns the query that opens the drawer of a job.
func aside(job string) string { return "?sel=" + strings.TrimPrefix(job, "/jobs/") }

// jobIn returns the page of a job of the sample data in a state.
func jobIn(t *testing.T, base, filter string) string {
	t.Helper()
	list, err := client.Read[api.JobList](t, base+"/api/v1/jobs?limit=500&"+filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range list.Jobs {
		if !strings.ContainsAny(j.Name, "<>\":\x1b\u202e") && j.Name[0] < 0x80 {
			return "/jobs/" + url.PathEscape(j.Cluster) + "/" + j.UID
		}
	}
	t.Fatalf("no job matches %s", filter)
	return ""
}

var (
	denied   = &api.Problem{Type: api.ProblemDenied, Title: "Denied", Status: 403, Detail: "You may not see jobs in team-llm. Ask its owners for this role:", Role: "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n"}
	database = &api.Problem{Type: api.ProblemDatabase, Title: "The database did not answer", Status: 504, Detail: "The database did not answer in 5 s.", Instance: "7f3a01c2"}
	loading  = &api.Problem{Type: api.ProblemLoading, Title: "Loading", Status: 503, Done: 0.42}
	signIn   = &api.Problem{Type: api.ProblemSignIn, Title: "Sign in", Status: 401, Detail: "Your session has ended."}
)

// scenes are all pages and states of the sample data.
func scenes(t *testing.T, base string) []scene {
	t.Helper()
	list, plot, facts := browser.Has(".jobs-scroll a"), browser.Has("canvas"), browser.Has(".job-facts")
	at := func(name, path, ready string) scene {
		return scene{View: browser.View{Name: name, Path: path, Ready: ready}, long: true}
	}
	short := func(name, path, ready string, act func(p *browser.Tab)) scene {
		return scene{View: browser.View{Name: name, Path: path, Ready: ready}, act: act}
	}
	desk := func(name, path, ready string, act func(p *browser.Tab)) scene {
		return scene{View: browser.View{Name: name, Path: path, Ready: ready}, act: act, desk: true}
	}
	fault := func(name, path, shut string, p *api.Problem) scene {
		return scene{View: browser.View{Name: name, Path: path, Ready: browser.Has("main")}, shut: shut, fault: p}
	}
	all := []scene{
		short("jobs", "/jobs", list, nil),
		desk("jobs-filtered", "/jobs?namespace=team-*&kind=Job&kind=PyTorchJob&state=Failed", list, nil),
		short("jobs-drawer-failed", "/jobs"+aside(jobFailed), browser.Has(".drawer .why-facts"), nil),
		short("jobs-drawer-waiting", "/jobs"+aside(jobWaiting), browser.Has(".drawer .why"), nil),
		desk("jobs-filter-open", "/jobs", list, func(p *browser.Tab) { p.Key("/"); p.Until("suggestions", browser.Has("[role=option]")) }),
		desk("jobs-columns", "/jobs", list, func(p *browser.Tab) {
			p.Click(".page-head button", p.Word("Columns", "列"))
			p.Until("the columns", browser.Has("[role=menuitemcheckbox]"))
		}),
		desk("jobs-selected", "/jobs", list, func(p *browser.Tab) { p.Press("j"); p.Press("x"); p.Press("j"); p.Press("x"); p.Press("j") }),
		short("jobs-palette", "/jobs", list, func(p *browser.Tab) {
			p.Click(".nav-search", "")
			p.Do(browser.Typed("llama")...)
			p.Until("jobs in the palette", browser.Has(".palette-item .state-icon"))
		}),
		desk("jobs-help", "/jobs", list, func(p *browser.Tab) { p.Press("?"); p.Until("the keys", browser.Has(".key-list")) }),
		short("jobs-none", "/jobs?queue=gpu-h100&owner=nobody", browser.Has(".nothing"), nil),
		short("jobs-at", "/jobs?at=2026-11-22T01:15:00Z", list, nil),
		short("timeline", "/timeline", plot, nil),
		short("timeline-zoomed", "/timeline?from=2026-11-21T22:40:00Z&to=2026-11-22T00:10:00Z", plot, nil),
		desk("timeline-unfolded", "/timeline?cluster=gpu-west&q=llama3-70b-dpo-mix-v4-seed-1337", plot, func(p *browser.Tab) { p.Click(".timeline-body button[aria-expanded=false]", "") }),
		short("timeline-owner", "/timeline?group=owner", plot, nil),
		short("timeline-none", "/timeline?owner=nobody", plot, nil),
		at("job-waiting", jobWaiting, facts), at("job-failed", jobFailed, facts), at("job-running", jobRunning, facts),
		at("job-succeeded", jobIn(t, base, "state=Succeeded"), facts), at("job-suspended", jobIn(t, base, "state=Suspended"), facts), at("job-aborted", jobIn(t, base, "state=Aborted"), facts),
		at("job-attempts", jobFailed+"/attempts", facts), at("job-pods", jobFailed+"/pods", facts), at("job-events", jobFailed+"/events", facts), at("job-yaml", jobFailed+"/yaml", browser.Has(".yaml-card .yaml")),
		short("job-diff", jobFailed+"/yaml", browser.Has(".yaml-card .yaml"), func(p *browser.Tab) { p.Press("d"); p.Until("a diff", browser.Has("table.diff")) }),
		at("job-logs", jobFailed+"/logs", browser.Has(".log-foot")), at("job-notifications", jobFailed+"/notifications", facts),
		short("job-stop", jobRunning, facts, func(p *browser.Tab) {
			p.Click(".job-actions button", p.Word("Stop", "停止"))
			p.Until("a question", browser.Has("dialog[open], [role=dialog]"))
		}),
		at("submit", "/submit", browser.Has(".submit-form input")), at("submit-clone", "/submit?cluster=gpu-west&clone="+strings.TrimPrefix(jobFailed, "/jobs/gpu-west/"), browser.Has(".submit-page h1")),
		at("stats", "/stats", browser.Has(".stats canvas, .stats svg")), at("stats-vs", "/stats?vs=previous", browser.Has(".stats canvas, .stats svg")), at("stats-waiting", "/stats/waiting", browser.Has(".stats canvas, .stats svg")),
		at("stats-failures", "/stats/failures", browser.Has(".stats table")), at("stats-owners", "/stats/owners", browser.Has(".stats table")), at("stats-nodes", "/stats/nodes", browser.Has(".stats table")),
		at("operations", "/operations", browser.Has(".operations table")), at("settings", "/settings", browser.Has(".settings .card")), at("docs", "/docs", browser.Has(".docs-item")),
		{View: browser.View{Name: "unknown", Path: "/nothing/here", Ready: browser.Has(".nothing")}, absent: true},
		{View: browser.View{Name: "job-unknown", Path: "/jobs/gpu-west/none", Ready: browser.Has(".nothing, .trouble")}, absent: true},
		fault("jobs-denied", "/jobs?namespace=team-llm", "/jobs", denied), fault("jobs-error", "/jobs", "/jobs", database), fault("jobs-signin", "/jobs", "/jobs", signIn),
		fault("timeline-error", "/timeline", "/timeline", database), fault("job-denied", jobFailed, "/jobs/", denied), fault("stats-error", "/stats", "/stats", database),
		fault("operations-denied", "/operations", "/operations", denied), fault("portal-loading", "/jobs", "/", loading), fault("jobs-waiting", "/jobs", "/jobs", nil), fault("job-loading", jobFailed, "/jobs/", nil),
		fault("submit-denied", "/submit", "/templates", denied), fault("logs-error", jobFailed+"/logs", "/jobs/gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/logs", database),
	}
	return all
}

// TestScenes checks all pages and states: nothing is wider than the window, axe-core finds nothing
// serious, and Chinese pages have no English sentence. -portal.screenshots saves screenshots.
func TestScenes(t *testing.T) {
	base := *target
	if base == "" {
		base = world(t)
	}
	axe := axeCore(t)
	g := newGate(t, base)
	p := browser.New(t).Tab(g.base)
	usual := "dark-zh-1440"
	if testinput.Size(t, 0, 1) == 1 {
		usual = "dark-zh-(1440|390)"
	}
	wanted, name := regexp.MustCompile(cmp.Or(*looks, usual)), regexp.MustCompile(*only)
	for _, theme := range []string{"light", "dark"} {
		for _, language := range []string{"en", "zh"} {
			for _, width := range []int64{1440, 390, 1920} {
				look := fmt.Sprintf("%s-%s-%d", theme, language, width)
				if !wanted.MatchString(look) {
					continue
				}
				p.Look(theme, language)
				for _, s := range scenes(t, base) {
					if !name.MatchString(s.Name) || s.desk && width < 640 {
						continue
					}
					p.Size(width, map[int64]int64{1440: 900, 390: 844, 1920: 1080}[width])
					play(p, g, s)
					p.Fits(s.Name + "-" + look)
					if *screenshots != "" {
						picture(p, s, look)
						continue
					}
					p.Accessible(s.Name+"-"+look, axe)
					if language == "zh" {
						speaksChinese(p, s.Name)
					}
				}
			}
		}
	}
	g.open()
	p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")}) // log browser errors again
	p.Close()
}

// picture saves a screenshot of a scene, in its whole length.
func picture(p *browser.Tab, s scene, look string) {
	p.T.Helper()
	height := 0.0
	_, _ = fmt.Sscan(p.Text("document.documentElement.scrollHeight"), &height)
	if width := map[bool]int64{true: 390, false: 1440}[strings.HasSuffix(look, "390")]; s.long && height > 900 && !strings.HasSuffix(look, "1920") {
		p.Size(width, min(int64(height), 2600))
		p.Settle(s.Name)
	}
	p.Screenshot(filepath.Join(*screenshots, s.Name+"-"+look+".png"))
}

// play shows a scene. Errors from a gate, and pages that do not exist, are expected.
func play(p *browser.Tab, g *gate, s scene) {
	p.T.Helper()
	p.Watch(s.shut == "" && !s.absent)
	g.open()
	if s.shut == "" {
		p.Settled(s.View)
	} else {
		g.shut(s.shut, s.fault)
		p.Open(s.Path)
		p.Until(s.Name, s.Ready)
		p.Until(s.Name+" shows the problem", browser.Has(".trouble, .gray-row"))
	}
	if s.act != nil {
		s.act(p)
	}
}
