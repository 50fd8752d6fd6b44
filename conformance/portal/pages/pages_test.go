package pages_test

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

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/internal/testinput"
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

// world serves the pages with the sample data, which covers everything that pages can show. It
// returns its address.
func world(t *testing.T) string {
	t.Helper()
	path, listen := gobuild.Once(t, "./platform/portal/ui/fixture"), network.FreeAddress(t)
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
	client.Ready(t, "http://"+listen)
	return "http://" + listen
}

// views are the pages.
func views() []browser.View {
	return []browser.View{
		{Name: "list", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")},
		{Name: "timeline", Path: "/timeline", Ready: browser.Has("canvas")},
		{Name: "job-waiting", Path: jobWaiting, Ready: browser.Has(".job-facts")},
		{Name: "job-failed", Path: jobFailed, Ready: browser.Has(".job-facts")},
		{Name: "submit", Path: "/submit", Ready: browser.Has(".submit-form input")},
		{Name: "stats", Path: "/stats", Ready: browser.Has("main h1")},
		{Name: "operations", Path: "/operations", Ready: browser.Has("main h1")},
	}
}

// TestPages checks every page in both themes and languages, on a desktop and on a phone; in the
// gate in light on a desktop and in dark on a phone.
func TestPages(t *testing.T) {
	full := testinput.Size(t, 0, 1) == 1
	base := world(t)
	axe := axeCore(t)
	p := browser.New(t).Tab(base)
	all := views()
	for _, theme := range []string{"light", "dark"} {
		for _, language := range []string{"en", "zh"} {
			p.Look(theme, language)
			for _, width := range []int64{1440, 390} {
				if !full && (language != "en" || (theme == "light") != (width == 1440)) {
					continue
				}
				p.Size(width, map[int64]int64{1440: 900, 390: 844}[width])
				for _, v := range all {
					name := fmt.Sprintf("%s-%s-%s-%d", v.Name, theme, language, width)
					p.Settled(v)
					p.Fits(name)
					if language == "en" {
						p.Accessible(name, axe)
					}
					if *screenshots != "" {
						p.Screenshot(filepath.Join(*screenshots, name+".png"))
					}
					if *readme && v.Name == "list" {
						p.Settled(browser.View{Name: v.Name, Path: "/jobs?namespace=team-*", Ready: v.Ready}) // without hostile names
					}
					if *readme && v.Name == "timeline" {
						p.Settled(browser.View{Name: v.Name, Path: "/timeline?cluster=gpu-west", Ready: v.Ready}) // the cluster with a gap
					}
					if *readme && width == 1440 && language == "en" && (v.Name == "list" || v.Name == "timeline" || v.Name == "job-failed") {
						readmeImage(p, v.Name, theme)
					}
				}
			}
		}
	}
	light(p)
	p.Close()
}

// root returns the root of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// axeCore returns the source of axe-core.
func axeCore(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join(root(t), "platform", "portal", "ui", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v; `npm ci --prefix platform/portal/ui` installs it", err)
	}
	return string(axe)
}

// light checks the total size of all assets.
func light(p *browser.Tab) {
	p.T.Helper()
	sum := 0.0
	for address, size := range p.Received() {
		if strings.Contains(address, "/assets/") {
			sum += size
		}
	}
	p.T.Logf("the pages have %.1f KB together", sum/1024)
	if sum == 0 || sum > mostAssets {
		p.T.Errorf("the assets have %.0f bytes together, want at most %d", sum, mostAssets)
	}
}

// readmeImage creates an image of the README.
func readmeImage(p *browser.Tab, name, theme string) {
	p.T.Helper()
	path := filepath.Join(root(p.T), "docs", "images", "portal-"+strings.TrimSuffix(name, "-failed")+"-"+theme+".png")
	p.Screenshot(path)
	if err := fewColors(path); err != nil {
		p.T.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > mostImage {
		p.T.Errorf("%s is larger than %d bytes: %v", path, mostImage, err)
	}
}
