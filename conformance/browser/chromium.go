package browser

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// Browser is one Chromium. Its first tab exists until the test ends.
type Browser struct {
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

// New starts a browser. It ends with the test.
func New(t *testing.T) *Browser {
	t.Helper()
	testinput.Uncached(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(patience.Limit(t)),
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
	return &Browser{t, ctx}
}
