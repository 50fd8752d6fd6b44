package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// browser is one Chromium.
type browser struct {
	ctx context.Context
	end func()
}

// openBrowser starts Chromium.
//
// Errors: it is not installed; it does not start.
func openBrowser(ctx context.Context) (*browser, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("cannot find Chromium: run tools/setup.sh browser to install it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("enable-precise-memory-info", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	own, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {})) // it logs unknown events as errors
	b := &browser{own, func() {
		_ = chromedp.Cancel(own) // waits for the process
		cancel()
		end()
	}}
	if err := chromedp.Run(own); err != nil {
		b.end()
		return nil, err
	}
	return b, nil
}

// tab is one page.
type tab struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// tab opens an empty page without a cache.
func (b *browser) tab() (*tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx)
	p := &tab{ctx, cancel}
	err := chromedp.Run(ctx, network.Enable(), network.SetCacheDisabled(true), emulation.SetDeviceMetricsOverride(1440, 900, 1, false))
	return p, err
}

// eval evaluates an expression.
func eval[T any](p *tab, expression string) (T, error) {
	var v T
	var raw json.RawMessage
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Evaluate(expression, &raw))
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}

// onLoad runs a script in each page before its own scripts.
func (p *tab) onLoad(script string) error {
	return chromedp.Run(p.ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	}))
}

// open loads a page, and waits until it shows jobs.
func (p *tab) open(ctx context.Context, url string) error {
	if err := chromedp.Run(p.ctx, chromedp.Navigate(url)); err != nil {
		return err
	}
	return until(ctx, "the page shows jobs", func() (bool, error) {
		return eval[bool](p, `document.querySelectorAll("tr[data-id]").length > 0`)
	})
}

// watchRows records when the page has its first rows.
const watchRows = `new MutationObserver((_, o) => {
  if (document.querySelector("tr[data-id]")) { o.disconnect(); requestAnimationFrame(() => { window.rowsAt = performance.now(); }); }
}).observe(document, { childList: true, subtree: true });`

// Paint returns the seconds until Chromium first paints the list, and until it shows jobs:
// the medians of n loads without a cache. With n = 0 there is no browser.
func Paint(ctx context.Context, base string, n int) (first, rows float64, err error) {
	if n == 0 {
		return 0, 0, nil
	}
	b, err := openBrowser(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer b.end()
	var all [2][]float64
	for range n {
		p, err := b.tab()
		if err != nil {
			return 0, 0, err
		}
		if err := p.onLoad(watchRows); err != nil {
			return 0, 0, err
		}
		if err := p.open(ctx, base+"/jobs"); err != nil {
			return 0, 0, err
		}
		var at []float64
		err = until(ctx, "the page is painted", func() (bool, error) {
			at, err = eval[[]float64](p, `[performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0, window.rowsAt ?? 0]`)
			return err == nil && len(at) == 2 && at[0] > 0 && at[1] > 0, err
		})
		p.cancel()
		if err != nil {
			return 0, 0, fmt.Errorf("a page: %w", err)
		}
		for i := range all {
			all[i] = append(all[i], at[i]/1000)
		}
	}
	for i := range all {
		slices.Sort(all[i])
	}
	return all[0][n/2], all[1][n/2], nil
}
