package portal_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var (
	screenshots = flag.String("portal.screenshots", "", "folder for screenshots of all pages")
	readme      = flag.Bool("portal.readme", false, "create docs/images/portal-*.png")
)

const (
	// clock is the time of the sample data.
	clock = "2026-11-22T02:42:08Z"
	// mostAssets is the maximum compressed size of all assets together.
	mostAssets = 200 << 10
	// mostImage is the maximum size of an image of the README.
	mostImage = 150 << 10
)

// view is a page to test.
type view struct {
	name, path string
	ready      string // an expression
}

// world serves the pages with the sample data, which covers everything that pages can show. It
// returns its address.
func world(t *testing.T) string {
	t.Helper()
	path, err := fixture()
	if err != nil {
		t.Fatal(err)
	}
	listen := freeAddress(t)
	var said bytes.Buffer
	cmd := exec.Command(path, "-listen", listen, "-still", "-clock", clock)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the fixture printed:\n%s", said.String())
		}
	})
	ready(t, "http://"+listen)
	return "http://" + listen
}

// views are the pages.
func views() []view {
	return []view{
		{"list", "/jobs", has(".jobs-scroll a")},
		{"timeline", "/timeline", has("canvas")},
		{"job-waiting", jobWaiting, has(".job-facts")},
		{"job-failed", jobFailed, has(".job-facts")},
		{"submit", "/submit", has(".submit-form input")},
		{"stats", "/stats", has("main h1")},
		{"operations", "/operations", has("main h1")},
	}
}

// TestPages checks every page in both themes and languages, on a desktop and on a phone.
func TestPages(t *testing.T) {
	base := world(t)
	axe := axeCore(t)
	p := newBrowser(t).tab(base)
	all := views()
	for _, theme := range []string{"light", "dark"} {
		for _, language := range []string{"en", "zh"} {
			p.look(theme, language)
			for _, width := range []int64{1440, 390} {
				p.size(width, map[int64]int64{1440: 900, 390: 844}[width])
				for _, v := range all {
					name := fmt.Sprintf("%s-%s-%s-%d", v.name, theme, language, width)
					p.settled(v)
					p.fits(name)
					if language == "en" {
						p.accessible(name, axe)
					}
					if *screenshots != "" {
						p.screenshot(filepath.Join(*screenshots, name+".png"))
					}
					if *readme && v.name == "list" {
						p.settled(view{v.name, "/jobs?namespace=team-*", v.ready}) // without hostile names
					}
					if *readme && v.name == "timeline" {
						p.settled(view{v.name, "/timeline?cluster=gpu-west", v.ready}) // the cluster with a gap
					}
					if *readme && width == 1440 && language == "en" && (v.name == "list" || v.name == "timeline" || v.name == "job-failed") {
						p.image(v.name, theme)
					}
				}
			}
		}
	}
	p.light()
	p.close()
}

// axeCore returns the source of axe-core.
func axeCore(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", "portal", "ui", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v; `npm ci --prefix portal/ui` installs it", err)
	}
	return string(axe)
}

// settled opens a page, and waits until it has all answers and is drawn.
func (p *tab) settled(v view) {
	p.t.Helper()
	p.open(v.path)
	p.until(v.name+" exists", v.ready)
	p.until("the badge shows how current the page is", `/^(Live|As of|实时|截至)/.test(document.querySelector(".badge")?.innerText)`)
	p.settle(v.name)
}

// settle waits until a page no longer changes.
func (p *tab) settle(name string) {
	p.t.Helper()
	p.until(name+" has its answers", `(async () => {
  await document.fonts.ready;
  if (document.querySelector(".gray-row, .gray-rows, .skeleton")) return "rows are gray";
  const before = document.body.innerText;
  for (let i = 0; i < 12; i++) await new Promise((next) => requestAnimationFrame(next));
  return before.replace(/[0-9]/g, "") === document.body.innerText.replace(/[0-9]/g, "") || "it changes";
})()`)
}

// fits checks that nothing is wider than the window, that only names are truncated, that no row is
// cut, and that one button is the primary one.
func (p *tab) fits(name string) {
	p.t.Helper()
	// Wait for color transitions of buttons.
	const wide = `Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished)).then(() => {
  const bad = [];
  if (document.documentElement.scrollWidth > innerWidth) bad.push("the page is " + document.documentElement.scrollWidth + " wide: " + [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("svg, .pills, .timeline-legend-list")).slice(-3).map((e) => e.tagName + "." + e.className).join(", "));
  for (const e of document.querySelectorAll("button, h1, h2, h3, label, .pill, .badge, dt, dd, th, td")) {
    const style = getComputedStyle(e);
    if (!e.checkVisibility() || e.closest(".hidden-text, [data-full], .name, canvas") || e.querySelector(".name")) continue;
    if (style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 4) bad.push("cut: " + e.tagName + "." + e.className + " " + e.innerText.slice(0, 60));
  }
  const primary = [...document.querySelectorAll(".button.primary")].filter((e) => e.checkVisibility() && getComputedStyle(e).backgroundColor !== getComputedStyle(document.documentElement).backgroundColor);
  if (primary.length > 1) bad.push("primary buttons: " + primary.map((e) => e.innerText).join(", "));
  const list = document.querySelector(".jobs-scroll");
  if (list && list.scrollTop === 0 && getComputedStyle(list).overflowY !== "visible") {
    const end = list.getBoundingClientRect().bottom;
    for (const e of list.querySelectorAll(".row")) if (e.getBoundingClientRect().top < end && e.getBoundingClientRect().bottom > end + 4) bad.push("the footer cuts a row: " + e.innerText.slice(0, 40));
  }
  return bad.slice(0, 8).join("\n");
})`
	if got := p.text(wide); got != "" {
		p.t.Errorf("%s: %s", name, got)
	}
}

// accessible checks that axe-core finds nothing serious.
func (p *tab) accessible(name, axe string) {
	p.t.Helper()
	p.text(axe + "; true")
	const run = `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .map((v) => v.id + " (" + v.nodes.length + "): " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")).join("\n"))`
	if got := p.text(run); got != "" {
		p.t.Errorf("%s: %s", name, got)
	}
}

// light checks the total size of all assets.
func (p *tab) light() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := 0.0
	for address, size := range p.assets {
		if strings.Contains(address, "/assets/") {
			sum += size
		}
	}
	p.t.Logf("the pages have %.1f KB together", sum/1024)
	if sum == 0 || sum > mostAssets {
		p.t.Errorf("the assets have %.0f bytes together, want at most %d", sum, mostAssets)
	}
}

// image creates an image of the README.
func (p *tab) image(name, theme string) {
	p.t.Helper()
	path := filepath.Join("..", "..", "docs", "images", "portal-"+strings.TrimSuffix(name, "-failed")+"-"+theme+".png")
	p.screenshot(path)
	if err := fewColors(path); err != nil {
		p.t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostImage {
		p.t.Errorf("%s is larger than %d bytes: %v", path, mostImage, err)
	}
}
