package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/vedette-io/vedette/internal/patience"
)

// Do runs actions, and fails the test after an error.
func (p *Tab) Do(actions ...chromedp.Action) {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience.Limit(p.T))
	defer cancel()
	if p.ctx.Err() == nil && chromedp.FromContext(p.ctx).Target == nil {
		ctx = p.ctx // the first run creates the tab, which exists as long as this context
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Size sets the size of the window. Narrow windows are those of a phone.
func (p *Tab) Size(width, height int64) {
	p.T.Helper()
	p.Do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 640), emulation.SetTouchEmulationEnabled(width < 640))
}

// Look sets theme and language.
func (p *Tab) Look(theme, language string) {
	p.T.Helper()
	p.Do(network.SetCookie("vedette_theme", theme).WithURL(p.base), network.SetCookie("vedette_lang", language).WithURL(p.base))
}

// Open loads a page of the portal. The mark distinguishes the new page from the previous one,
// which may reload by itself meanwhile.
func (p *Tab) Open(path string) {
	p.T.Helper()
	p.Text("window.left = true")
	p.Do(chromedp.Navigate(p.base + path))
	p.Until("the page "+path, `window.left === undefined && document.readyState === "complete"`)
}

// Text returns the value of an expression as a text, or its error.
func (p *Tab) Text(expression string) string {
	var v any
	ctx, cancel := context.WithTimeout(p.ctx, patience.Limit(p.T))
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

// Until waits until an expression is true.
func (p *Tab) Until(what, expression string) {
	p.T.Helper()
	patience.Until(p.T, what, func() string {
		if got := p.Text(expression); got != "true" {
			return got
		}
		return ""
	})
}

// Shows waits until an element has a text. The comparison is case-sensitive.
func (p *Tab) Shows(selector, text string) {
	p.T.Helper()
	patience.Until(p.T, fmt.Sprintf("%s shows %q", selector, text), func() string {
		got := p.Text(fmt.Sprintf(`[...document.querySelectorAll(%s)].map((e) => e.innerText).join("\n")`, Quoted(selector)))
		if !strings.Contains(got, text) {
			return fmt.Sprintf("%.1000q", got)
		}
		return ""
	})
}

// Click clicks the first visible, enabled element that matches a selector and has a text, when it
// exists.
func (p *Tab) Click(selector, text string) {
	p.T.Helper()
	p.Until("click "+selector+" "+text, fmt.Sprintf(`(() => {
  const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && !e.disabled && (e.innerText + " " + (e.getAttribute("aria-label") ?? "")).includes(%s));
  e?.click();
  return e !== undefined;
})()`, Quoted(selector), Quoted(text)))
}

// Fill writes a text into a field, as if pasted.
func (p *Tab) Fill(selector, text string) {
	p.T.Helper()
	p.Until("fill "+selector, fmt.Sprintf(`(() => {
  const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && !e.disabled);
  if (!e) return "no field";
  e.focus();
  e.select();
  return true;
})()`, Quoted(selector)))
	p.Do(input.InsertText(text))
}

// Press presses a key outside of fields.
func (p *Tab) Press(key string) {
	p.T.Helper()
	p.Do(chromedp.KeyEvent(key))
}

// Zone sets the time zone of the browser; "" restores its own.
func (p *Tab) Zone(name string) {
	p.T.Helper()
	p.Do(emulation.SetTimezoneOverride(name))
}

// Front makes the tab the visible one.
func (p *Tab) Front() {
	p.T.Helper()
	p.Do(page.BringToFront())
}

// Screenshot saves the visible part of the page.
func (p *Tab) Screenshot(path string) {
	p.T.Helper()
	var png []byte
	p.Do(chromedp.CaptureScreenshot(&png))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.T.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o644); err != nil {
		p.T.Fatal(err)
	}
}

// Quoted returns a text as a JavaScript literal.
func Quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// Key presses a letter key as a keyboard does: if the page handles the key, the field does not
// get it. chromedp always sends the letter.
func (p *Tab) Key(key string, with ...input.Modifier) {
	p.T.Helper()
	down, up := input.DispatchKeyEvent(input.KeyDown).WithKey(key), input.DispatchKeyEvent(input.KeyUp).WithKey(key)
	if len(with) == 0 {
		down = down.WithText(key)
	}
	for _, m := range with {
		down, up = down.WithModifiers(m), up.WithModifiers(m)
	}
	p.Do(down, up)
}

// Media emulates media features, such as forced-colors=active.
func (p *Tab) Media(medium string, features ...string) {
	p.T.Helper()
	var all []*emulation.MediaFeature
	for i := 0; i+1 < len(features); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	p.Do(emulation.SetEmulatedMedia().WithMedia(medium).WithFeatures(all))
}

// Eyes emulates a vision deficiency.
func (p *Tab) Eyes(kind emulation.SetEmulatedVisionDeficiencyType) {
	p.T.Helper()
	p.Do(emulation.SetEmulatedVisionDeficiency(kind))
}

// Typed are the actions that type a text.
func Typed(text string) []chromedp.Action {
	var all []chromedp.Action
	for _, r := range text {
		all = append(all, chromedp.KeyEvent(string(r)))
	}
	return all
}
