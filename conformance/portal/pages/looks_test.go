package pages_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/internal/testinput"
)

// mainViews are the pages to test in every rendering.
func mainViews() []browser.View {
	return []browser.View{
		{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")},
		{Name: "timeline", Path: "/timeline", Ready: browser.Has("canvas")},
		{Name: "job-failed", Path: jobFailed, Ready: browser.Has(".job-facts")},
		{Name: "job-waiting", Path: jobWaiting, Ready: browser.Has(".why-cards")},
		{Name: "job-yaml", Path: jobFailed + "/yaml", Ready: browser.Has(".yaml-card .yaml")},
		{Name: "job-logs", Path: jobFailed + "/logs", Ready: browser.Has(".log-foot")},
		{Name: "submit", Path: "/submit", Ready: browser.Has(".submit-form input")},
		{Name: "stats", Path: "/stats", Ready: browser.Has(".stats canvas")},
		{Name: "operations", Path: "/operations", Ready: browser.Has(".operations table")},
		{Name: "settings", Path: "/settings", Ready: browser.Has(".settings .card")},
	}
}

// shot saves a screenshot if -portal.screenshots is set.
func shot(p *browser.Tab, name string) {
	p.T.Helper()
	if *screenshots != "" {
		p.Screenshot(filepath.Join(*screenshots, name+".png"))
	}
}

// TestForcedColors: with forced colors, states differ by shape, selections are visible, and no
// text has the color of its background.
func TestForcedColors(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	for _, theme := range []string{"light", "dark"}[:testinput.Size(t, 1, 2)] {
		p.Media("", "forced-colors", "active", "prefers-color-scheme", theme)
		for _, v := range mainViews() {
			p.Settled(v)
			p.Until(v.Name+" has the colors of the system", `matchMedia("(forced-colors: active)").matches`)
			p.Finds(v.Name, theme, `(() => {
  const bad = [], luminance = (c) => c.match(/[\d.]+/g).slice(0, 3).map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const ground = luminance(getComputedStyle(document.body).backgroundColor === "rgba(0, 0, 0, 0)" ? getComputedStyle(document.documentElement).backgroundColor : getComputedStyle(document.body).backgroundColor);
  for (const e of document.querySelectorAll("main .state-icon, main [aria-current], main [aria-pressed=true], main .quota-bar i, main .swatch, main .tick, main .stats-bar i, .badge .dot, main .check-box")) {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (!e.checkVisibility() || box.width < 2) continue;
    const name = e.tagName + "." + (e.getAttribute("class") ?? "");
    if (e.matches(".quota-bar i, .swatch, .tick, .stats-bar i, .dot")) {
      const own = luminance(style.backgroundColor), border = parseFloat(style.borderTopWidth) > 0;
      if ((Math.max(own, ground) + .05) / (Math.min(own, ground) + .05) < 3 && !border) bad.push("nothing is seen of " + name);
    } else if (e.matches(".state-icon")) {
      const own = luminance(style.color);
      if ((Math.max(own, ground) + .05) / (Math.min(own, ground) + .05) < 3) bad.push("an icon is not seen: " + name);
    }
  }
  return [...new Set(bad)].slice(0, 8).join("\n");
})()`)
			shot(p, "forced-"+theme+"-"+v.Name)
		}
	}
	p.Close()
}

// TestZoom: a window of 1,280 pixels at 200 % has 640 CSS pixels. Nothing is wider, and
// everything stays reachable.
func TestZoom(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Do(emulation.SetDeviceMetricsOverride(640, 360, 2, false))
	for _, v := range mainViews() {
		p.Settled(v)
		p.Fits(v.Name + " at 200 %")
		p.Finds(v.Name, "at 200 %", `(() => {
  const main = document.querySelector("main"), room = innerHeight - [...document.querySelectorAll("header.nav, .bottom-bar")].reduce((sum, e) => sum + (e.checkVisibility() ? e.getBoundingClientRect().height : 0), 0);
  return room < 180 ? "only " + room + " pixels are left for the page" : main.getBoundingClientRect().width < 600 ? "the page is narrow" : document.querySelector(".page-head h1")?.clientHeight > 40 ? "the title breaks" : "";
})()`)
		shot(p, "zoom-"+v.Name)
	}
	p.Close()
}

// TestPrint: a printed page has no navigation, is black on white, and shows its whole
// content.
func TestPrint(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Look("dark", "en")
	for _, v := range mainViews() {
		p.Settled(v)
		p.Media("print")
		p.Until("paper is light", `document.documentElement.dataset.theme === "light"`)
		p.Finds(v.Name, "on paper", `(() => {
  const bad = [];
  for (const e of document.querySelectorAll(".nav, .bottom-bar, .toasts, .jobs-foot, .submit-foot, .filter-bar")) if (e.checkVisibility()) bad.push(e.className + " is printed");
  const c = getComputedStyle(document.documentElement).backgroundColor;
  if (c !== "rgb(255, 255, 255)" && c !== "rgba(0, 0, 0, 0)") bad.push("the paper is " + c);
  for (const e of document.querySelectorAll("main, .jobs-scroll, .jobs-main, .log, .yaml")) if (getComputedStyle(e).overflowY !== "visible" && e.scrollHeight > e.clientHeight + 2 && !e.matches(".log")) bad.push(e.className + " is cut");
  return bad.join("\n");
})()`)
		shot(p, "print-"+v.Name)
		p.Media("")
	}
	p.Close()
}

// TestReducedMotion: nothing moves, and fading texts are readable at once.
func TestReducedMotion(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Media("", "prefers-reduced-motion", "reduce")
	for _, v := range append(mainViews(), browser.View{Name: "drawer", Path: "/jobs" + aside(jobFailed), Ready: browser.Has(".drawer .why-facts")}) {
		p.Settled(v)
		p.Finds(v.Name, "without motion", `(() => {
  const moving = document.getAnimations().filter((a) => a.playState === "running").map((a) => a.animationName ?? a.transitionProperty);
  for (const e of document.querySelectorAll("*")) {
    const s = getComputedStyle(e);
    if (s.animationName !== "none") moving.push("animation of " + e.className);
    if (s.transitionDuration.split(",").some((d) => parseFloat(d) > 0) && s.transitionProperty !== "opacity") moving.push(s.transitionProperty + " of " + e.className);
  }
  return [...new Set(moving)].slice(0, 5).join("\n");
})()`)
	}
	p.Close()
}

// deficiencies are the emulated vision deficiencies.
var deficiencies = []emulation.SetEmulatedVisionDeficiencyType{
	emulation.SetEmulatedVisionDeficiencyTypeDeuteranopia, emulation.SetEmulatedVisionDeficiencyTypeProtanopia, emulation.SetEmulatedVisionDeficiencyTypeTritanopia, emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia,
}

// TestColorBlind: the colors of any two states differ with each vision deficiency, and without
// colors the icons differ. Submitted and Deleted have the same gray.
func TestColorBlind(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	for _, theme := range []string{"light", "dark"} {
		p.Look(theme, "en")
		p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".pill .state-icon")})
		p.Finds("pills", theme, `(() => {
  const shapes = [...document.querySelectorAll(".pill .state-icon")].map((e) => e.innerHTML);
  return new Set(shapes).size === shapes.length && shapes.length === 10 ? "" : shapes.length + " icons of " + new Set(shapes).size + " forms";
})()`)
		for _, kind := range deficiencies {
			p.Eyes(kind)
			shot(p, fmt.Sprintf("%s-%s", kind, theme))
			if kind != emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia {
				p.Finds("colors", theme+", "+string(kind), fmt.Sprintf(closeColors, browser.Quoted(string(kind))))
			}
		}
		p.Eyes(emulation.SetEmulatedVisionDeficiencyTypeNone)
	}
	p.Close()
}

// closeColors lists states whose colors differ by less than 6 in OKLab x 100 with a vision
// deficiency. The matrices are those of Machado, Oliveira and Fernandes (2009), which Chromium also
// uses.
const closeColors = `(() => {
  const matrix = {
    deuteranopia: [.367322, .860646, -.227968, .280085, .672501, .047413, -.01182, .04294, .968881],
    protanopia: [.152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998],
    tritanopia: [1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .3039],
  }[%s];
  const style = getComputedStyle(document.documentElement);
  const lab = (state) => {
    const hex = style.getPropertyValue("--" + state).trim();
    const linear = [1, 3, 5].map((i) => { const v = parseInt(hex.slice(i, i + 2), 16) / 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    const [r, g, b] = [0, 3, 6].map((i) => Math.min(1, Math.max(0, matrix[i] * linear[0] + matrix[i + 1] * linear[1] + matrix[i + 2] * linear[2])));
    const l = Math.cbrt(.4122214708 * r + .5363325363 * g + .0514459929 * b), m = Math.cbrt(.2119034982 * r + .6806995451 * g + .1073969566 * b), s = Math.cbrt(.0883024619 * r + .2817188376 * g + .6299787005 * b);
    return [.2104542553 * l + .793617785 * m - .0040720468 * s, 1.9779984951 * l - 2.428592205 * m + .4505937099 * s, .0259040371 * l + .7827717662 * m - .808675766 * s];
  };
  const states = ["submitted", "queued", "starting", "running", "suspended", "restarting", "succeeded", "failed", "aborted"], bad = [];
  states.forEach((a, i) => states.slice(i + 1).forEach((b) => {
    const [x, y] = [lab(a), lab(b)], d = 100 * Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
    if (!(d >= 6)) bad.push(a + " and " + b + " differ by " + d.toFixed(1));
  }));
  return bad.join("\n");
})()`
