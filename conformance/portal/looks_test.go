package portal_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// media emulates media features, such as forced-colors=active.
func (p *tab) media(medium string, features ...string) {
	p.t.Helper()
	var all []*emulation.MediaFeature
	for i := 0; i+1 < len(features); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	p.do(emulation.SetEmulatedMedia().WithMedia(medium).WithFeatures(all))
}

// eyes emulates a vision deficiency.
func (p *tab) eyes(kind emulation.SetEmulatedVisionDeficiencyType) {
	p.t.Helper()
	p.do(emulation.SetEmulatedVisionDeficiency(kind))
}

// mainViews are the pages to test in every rendering.
func mainViews() []view {
	return []view{
		{"jobs", "/jobs", has(".jobs-scroll a")},
		{"timeline", "/timeline", has("canvas")},
		{"job-failed", jobFailed, has(".job-facts")},
		{"job-waiting", jobWaiting, has(".why-cards")},
		{"job-yaml", jobFailed + "/yaml", has(".yaml-card .yaml")},
		{"job-logs", jobFailed + "/logs", has(".log-foot")},
		{"submit", "/submit", has(".submit-form input")},
		{"stats", "/stats", has(".stats canvas")},
		{"operations", "/operations", has(".operations table")},
		{"settings", "/settings", has(".settings .card")},
	}
}

// shot saves a screenshot if -portal.screenshots is set.
func (p *tab) shot(name string) {
	p.t.Helper()
	if *screenshots != "" {
		p.screenshot(filepath.Join(*screenshots, name+".png"))
	}
}

// TestForcedColors: with forced colors, states differ by shape, selections are visible, and no
// text has the color of its background.
func TestForcedColors(t *testing.T) {
	p := newBrowser(t).tab(world(t))
	for _, theme := range []string{"light", "dark"} {
		p.media("", "forced-colors", "active", "prefers-color-scheme", theme)
		for _, v := range mainViews() {
			p.settled(v)
			p.until(v.name+" has the colors of the system", `matchMedia("(forced-colors: active)").matches`)
			p.finds(v.name, theme, `(() => {
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
			p.shot("forced-" + theme + "-" + v.name)
		}
	}
	p.close()
}

// finds fails the test if an expression returns a text.
func (p *tab) finds(name, how, expression string) {
	p.t.Helper()
	if got := p.text(expression); got != "" {
		p.t.Errorf("%s, %s: %s", name, how, got)
	}
}

// TestZoom: a window of 1,280 pixels at 200 % has 640 CSS pixels. Nothing is wider, and
// everything stays reachable.
func TestZoom(t *testing.T) {
	p := newBrowser(t).tab(world(t))
	p.do(emulation.SetDeviceMetricsOverride(640, 360, 2, false))
	for _, v := range mainViews() {
		p.settled(v)
		p.fits(v.name + " at 200 %")
		p.finds(v.name, "at 200 %", `(() => {
  const main = document.querySelector("main"), room = innerHeight - [...document.querySelectorAll("header.nav, .bottom-bar")].reduce((sum, e) => sum + (e.checkVisibility() ? e.getBoundingClientRect().height : 0), 0);
  return room < 180 ? "only " + room + " pixels are left for the page" : main.getBoundingClientRect().width < 600 ? "the page is narrow" : document.querySelector(".page-head h1")?.clientHeight > 40 ? "the title breaks" : "";
})()`)
		p.shot("zoom-" + v.name)
	}
	p.close()
}

// TestPrint: a printed page has no navigation, is black on white, and shows its whole
// content.
func TestPrint(t *testing.T) {
	p := newBrowser(t).tab(world(t))
	p.look("dark", "en")
	for _, v := range mainViews() {
		p.settled(v)
		p.media("print")
		p.until("paper is light", `document.documentElement.dataset.theme === "light"`)
		p.finds(v.name, "on paper", `(() => {
  const bad = [];
  for (const e of document.querySelectorAll(".nav, .bottom-bar, .toasts, .jobs-foot, .submit-foot, .filter-bar")) if (e.checkVisibility()) bad.push(e.className + " is printed");
  const c = getComputedStyle(document.documentElement).backgroundColor;
  if (c !== "rgb(255, 255, 255)" && c !== "rgba(0, 0, 0, 0)") bad.push("the paper is " + c);
  for (const e of document.querySelectorAll("main, .jobs-scroll, .jobs-main, .log, .yaml")) if (getComputedStyle(e).overflowY !== "visible" && e.scrollHeight > e.clientHeight + 2 && !e.matches(".log")) bad.push(e.className + " is cut");
  return bad.join("\n");
})()`)
		p.shot("print-" + v.name)
		p.media("")
	}
	p.close()
}

// TestReducedMotion: nothing moves, and fading texts are readable at once.
func TestReducedMotion(t *testing.T) {
	p := newBrowser(t).tab(world(t))
	p.media("", "prefers-reduced-motion", "reduce")
	for _, v := range append(mainViews(), view{"drawer", "/jobs" + aside(jobFailed), has(".drawer .why-facts")}) {
		p.settled(v)
		p.finds(v.name, "without motion", `(() => {
  const moving = document.getAnimations().filter((a) => a.playState === "running").map((a) => a.animationName ?? a.transitionProperty);
  for (const e of document.querySelectorAll("*")) {
    const s = getComputedStyle(e);
    if (s.animationName !== "none") moving.push("animation of " + e.className);
    if (s.transitionDuration.split(",").some((d) => parseFloat(d) > 0) && s.transitionProperty !== "opacity") moving.push(s.transitionProperty + " of " + e.className);
  }
  return [...new Set(moving)].slice(0, 5).join("\n");
})()`)
	}
	p.close()
}

// deficiencies are the emulated vision deficiencies.
var deficiencies = []emulation.SetEmulatedVisionDeficiencyType{
	emulation.SetEmulatedVisionDeficiencyTypeDeuteranopia, emulation.SetEmulatedVisionDeficiencyTypeProtanopia, emulation.SetEmulatedVisionDeficiencyTypeTritanopia, emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia,
}

// TestColorBlind: the colors of any two states differ with each vision deficiency, and without
// colors the icons differ. Submitted and Deleted have the same gray.
func TestColorBlind(t *testing.T) {
	p := newBrowser(t).tab(world(t))
	for _, theme := range []string{"light", "dark"} {
		p.look(theme, "en")
		p.settled(view{"jobs", "/jobs", has(".pill .state-icon")})
		p.finds("pills", theme, `(() => {
  const shapes = [...document.querySelectorAll(".pill .state-icon")].map((e) => e.innerHTML);
  return new Set(shapes).size === shapes.length && shapes.length === 10 ? "" : shapes.length + " icons of " + new Set(shapes).size + " forms";
})()`)
		for _, kind := range deficiencies {
			p.eyes(kind)
			p.shot(fmt.Sprintf("%s-%s", kind, theme))
			if kind != emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia {
				p.finds("colors", theme+", "+string(kind), fmt.Sprintf(closeColors, quoted(string(kind))))
			}
		}
		p.eyes(emulation.SetEmulatedVisionDeficiencyTypeNone)
	}
	p.close()
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
