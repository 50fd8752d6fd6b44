package portal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/vedette-io/vedette/conformance/wait"
)

// within is the time limit of any step of a browser on a slow machine.
const within = time.Minute

// browser is one Chromium. Its first tab exists until the test ends.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("Chromium is not installed; tools/setup.sh browser installs it")
	return ""
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(within),
		chromedp.UserDataDir(filepath.Join(t.TempDir(), "profile")), chromedp.Env("TZ=UTC"))
	allocator, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(t.Logf)) // it logs unknown events as errors
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits for the process
		cancel()
		end()
	})
	return &browser{t, ctx}
}

// tab is one page of a browser.
type tab struct {
	t      *testing.T
	ctx    context.Context
	base   string
	cancel context.CancelFunc

	mu       sync.Mutex
	faults   []string
	assets   map[string]float64 // bytes on the wire, by URL
	urls     map[network.RequestID]string
	watching bool
}

// tab opens an empty tab for the portal at an address.
func (b *browser) tab(base string) *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	p := &tab{t: b.t, ctx: ctx, cancel: cancel, base: base, assets: map[string]float64{}, urls: map[network.RequestID]string{}, watching: true}
	chromedp.ListenTarget(ctx, p.event)
	b.t.Cleanup(func() {
		if b.t.Failed() {
			b.t.Logf("the page at its end: %s", p.text("`${location.href}\\n${document.body.innerText}`"))
		}
		p.close()
	})
	p.do(network.Enable(), cdplog.Enable(), runtime.Enable(), page.Enable())
	p.size(1440, 900)
	return p
}

// event collects events that must not occur in a page, and the sizes of its assets.
func (p *tab) event(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := func(format string, args ...any) {
		if p.watching && len(p.faults) < 20 {
			p.faults = append(p.faults, fmt.Sprintf(format, args...))
		}
	}
	switch e := event.(type) {
	case *cdplog.EventEntryAdded:
		// The page of a new job gets 404 until the recorder has seen the job.
		expected := e.Entry.Source == cdplog.SourceNetwork && strings.Contains(e.Entry.Text, "404") && strings.Contains(e.Entry.URL, "/api/v1/jobs/")
		if e.Entry.Level == cdplog.LevelError && !expected {
			fault("the browser logged: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeAssert {
			said, _ := json.Marshal(e.Args)
			fault("the console: %s", said)
		}
	case *runtime.EventExceptionThrown:
		fault("an exception: %s", e.ExceptionDetails.Error())
	case *page.EventJavascriptDialogOpening:
		fault("a dialog: %s", e.Message)
	case *network.EventRequestWillBeSent:
		p.urls[e.RequestID] = e.Request.URL
		if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && u.Scheme != "blob" && u.Scheme+"://"+u.Host != p.base {
			fault("a request to another host: %s", e.Request.URL)
		}
	case *network.EventLoadingFinished:
		p.assets[p.urls[e.RequestID]] += e.EncodedDataLength
	}
}

// close closes the tab, and fails the test if a forbidden event occurred. Call it before the
// portal ends.
func (p *tab) close() {
	p.t.Helper()
	p.worker()
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		p.t.Error(fault)
	}
	p.watching, p.faults = false, nil
}

// worker collects the errors of the SharedWorker, which has the stream of all tabs. The browser
// repeats past errors to a new client.
func (p *tab) worker(also ...chromedp.Action) {
	p.t.Helper()
	if p.ctx.Err() != nil {
		return
	}
	all, err := chromedp.Targets(p.ctx)
	if err != nil {
		p.t.Errorf("find the worker: %v", err)
	}
	for _, info := range all {
		if info.Type != "shared_worker" {
			continue
		}
		ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(info.TargetID))
		chromedp.ListenTarget(ctx, func(event any) {
			switch e := event.(type) {
			case *runtime.EventExceptionThrown:
				p.event(e)
			case *runtime.EventConsoleAPICalled:
				p.event(e)
			}
		})
		if err := chromedp.Run(ctx, append(also, chromedp.Evaluate("0", nil))...); err != nil {
			p.t.Errorf("attach to the worker: %v", err)
		}
		cancel()
	}
}

// blind ignores errors of the page until f returns, for a server that is stopped.
func (p *tab) blind(f func()) {
	p.mu.Lock()
	p.watching = false
	p.mu.Unlock()
	f()
	p.mu.Lock()
	p.watching = true
	p.mu.Unlock()
}

// do runs actions, and fails the test after an error.
func (p *tab) do(actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 2*within)
	defer cancel()
	if p.ctx.Err() == nil && chromedp.FromContext(p.ctx).Target == nil {
		ctx = p.ctx // the first run creates the tab, which exists as long as this context
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) size(width, height int64) {
	p.t.Helper()
	p.do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 640), emulation.SetTouchEmulationEnabled(width < 640))
}

// look sets theme and language.
func (p *tab) look(theme, language string) {
	p.t.Helper()
	p.do(network.SetCookie("vedette_theme", theme).WithURL(p.base), network.SetCookie("vedette_lang", language).WithURL(p.base))
}

// open loads a page of the portal. The mark distinguishes the new page from the previous one,
// which may reload by itself meanwhile.
func (p *tab) open(path string) {
	p.t.Helper()
	p.text("window.left = true")
	p.do(chromedp.Navigate(p.base + path))
	p.until("the page "+path, `window.left === undefined && document.readyState === "complete"`)
}

// text returns the value of an expression as a text, or its error.
func (p *tab) text(expression string) string {
	var v any
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.Evaluate(expression, &v, awaited)); err != nil {
		return "error: " + err.Error()
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func awaited(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }

// until waits until an expression is true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	wait.Until(p.t, within, what, func() string {
		if got := p.text(expression); got != "true" {
			return got
		}
		return ""
	})
}

// shows waits until an element has a text. The comparison is case-sensitive.
func (p *tab) shows(selector, text string) {
	p.t.Helper()
	wait.Until(p.t, within, fmt.Sprintf("%s shows %q", selector, text), func() string {
		got := p.text(fmt.Sprintf(`[...document.querySelectorAll(%s)].map((e) => e.innerText).join("\n")`, quoted(selector)))
		if !strings.Contains(got, text) {
			return fmt.Sprintf("%.1000q", got)
		}
		return ""
	})
}

// click clicks the first visible, enabled element that matches a selector and has a text, when it
// exists.
func (p *tab) click(selector, text string) {
	p.t.Helper()
	p.until("click "+selector+" "+text, fmt.Sprintf(`(() => {
  const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && !e.disabled && (e.innerText + " " + (e.getAttribute("aria-label") ?? "")).includes(%s));
  e?.click();
  return e !== undefined;
})()`, quoted(selector), quoted(text)))
}

// fill writes a text into a field, as if pasted.
func (p *tab) fill(selector, text string) {
	p.t.Helper()
	p.until("fill "+selector, fmt.Sprintf(`(() => {
  const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && !e.disabled);
  if (!e) return "no field";
  e.focus();
  e.select();
  return true;
})()`, quoted(selector)))
	p.do(input.InsertText(text))
}

// press presses a key outside of fields.
func (p *tab) press(key string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(key))
}

// zone sets the time zone of the browser; "" restores its own.
func (p *tab) zone(name string) {
	p.t.Helper()
	p.do(emulation.SetTimezoneOverride(name))
}

// front makes the tab the visible one.
func (p *tab) front() {
	p.t.Helper()
	p.do(page.BringToFront())
}

// screenshot saves the visible part of the page.
func (p *tab) screenshot(path string) {
	p.t.Helper()
	var png []byte
	p.do(chromedp.CaptureScreenshot(&png))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// quoted returns a text as a JavaScript literal.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
