package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Tab is one page of a browser.
type Tab struct {
	T      *testing.T
	ctx    context.Context
	base   string
	cancel context.CancelFunc

	mu       sync.Mutex
	faults   []string
	assets   map[string]float64 // bytes on the wire, by URL
	urls     map[network.RequestID]string
	watching bool
}

// Tab opens an empty tab for the portal at an address.
func (b *Browser) Tab(base string) *Tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	p := &Tab{T: b.t, ctx: ctx, cancel: cancel, base: base, assets: map[string]float64{}, urls: map[network.RequestID]string{}, watching: true}
	chromedp.ListenTarget(ctx, p.event)
	b.t.Cleanup(func() {
		if b.t.Failed() {
			b.t.Logf("the page at its end: %s", p.Text("`${location.href}\\n${document.body.innerText}`"))
		}
		p.Close()
	})
	p.Do(network.Enable(), cdplog.Enable(), runtime.Enable(), page.Enable())
	p.Size(1440, 900)
	return p
}

// event collects events that must not occur in a page, and the sizes of its assets.
func (p *Tab) event(event any) {
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

// Close closes the tab, and fails the test if a forbidden event occurred. Call it before the
// portal ends.
func (p *Tab) Close() {
	p.T.Helper()
	p.Worker()
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		p.T.Error(fault)
	}
	p.watching, p.faults = false, nil
}

// Watch begins or ends to collect forbidden events.
func (p *Tab) Watch(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watching = on
}

// Forgive forgets the forbidden events so far, and collects no more.
func (p *Tab) Forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watching, p.faults = false, nil
}

// Forbidden returns the forbidden events so far.
func (p *Tab) Forbidden() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.faults)
}

// Received returns the bytes of each asset on the wire, by URL.
func (p *Tab) Received() map[string]float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.assets)
}

// Worker collects the errors of the SharedWorker, which has the stream of all tabs. The browser
// repeats past errors to a new client.
func (p *Tab) Worker(also ...chromedp.Action) {
	p.T.Helper()
	if p.ctx.Err() != nil {
		return
	}
	all, err := chromedp.Targets(p.ctx)
	if err != nil {
		p.T.Errorf("find the worker: %v", err)
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
			p.T.Errorf("attach to the worker: %v", err)
		}
		cancel()
	}
}

// Blind ignores errors of the page until f returns, for a server that is stopped.
func (p *Tab) Blind(f func()) {
	p.Watch(false)
	f()
	p.Watch(true)
}
