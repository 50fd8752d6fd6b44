package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/internal/patience"
)

// TestKeys: the keys in docs/portal.md work on every page, and never while a person types.
func TestKeys(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	for _, v := range mainViews() {
		p.Settled(v)
		p.Key("?")
		p.Until(v.Name+" lists its keys", `document.querySelectorAll(".key-list li").length >= 8`)
		p.Press(kb.Escape)
		p.Until(v.Name+" closes the list", `document.querySelector(".key-list") === null`)
		p.Key("k", input.ModifierCtrl)
		p.Until(v.Name+" opens the palette", `document.activeElement === document.querySelector(".palette-input input")`)
		p.Press(kb.Escape)
		p.Until(v.Name+" closes the palette", `document.querySelector(".palette-input") === null`)
	}
	p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")})
	p.Key("/")
	p.Until("the field has the focus, and did not get the key", `document.activeElement.matches(".filter-input") && document.activeElement.value === ""`)
	p.Key("j")
	p.Until("a key is a letter in a field", `document.activeElement.value === "j" && document.activeElement.matches(".filter-input")`)
	p.Press(kb.Escape)
	p.Press(kb.Escape)
	p.Text("document.activeElement.blur()")
	p.Key("j")
	p.Key("j")
	p.Key("k")
	p.Until("the first row has the focus, and a ring", `document.activeElement === document.querySelector("tr.row") && getComputedStyle(document.activeElement).outlineStyle === "solid"`)
	name := p.Text(`document.querySelector("tr.row th a").getAttribute("href")`)
	p.Key(" ")
	p.Until("the drawer", browser.Has(".drawer .drawer-name"))
	p.Press(kb.Escape)
	p.Until("no drawer", `document.querySelector(".drawer") === null`)
	p.Press(kb.Enter)
	p.Until("the page of the job", "location.pathname === "+browser.Quoted(strings.Split(name, "?")[0]))
	p.Until("its head", browser.Has(".job-facts"))
	for key, path := range map[string]string{"y": "/yaml", "l": "/logs"} {
		p.Key(key)
		p.Until(key+" opens "+path, "location.pathname.endsWith("+browser.Quoted(path)+")")
		p.Press(kb.Escape)
		p.Until("Esc goes back to the job", `!location.pathname.endsWith(`+browser.Quoted(path)+`)`)
	}
	for key, path := range map[string]string{"t": "/timeline", "s": "/stats", "o": "/operations", "j": "/jobs"} {
		p.Key("g")
		p.Key(key)
		p.Until("g "+key, "location.pathname === "+browser.Quoted(path))
	}
	p.Close()
}

// TestFocus: the focus goes through each page, beginning with the link to the content. It is
// always visible, and each focusable element has a name.
func TestFocus(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	for _, v := range mainViews() {
		p.Settled(v)
		seen := map[string]bool{}
		for i := range 40 {
			p.Press(kb.Tab)
			got := p.Text(focused)
			if got == "the page" {
				if i < 10 {
					t.Errorf("%s: the focus leaves the page after %d steps", v.Name, i)
				}
				break
			}
			if strings.HasPrefix(got, "bad") && !seen[got] {
				seen[got] = true
				t.Errorf("%s: %s", v.Name, got)
			}
		}
	}
	p.Close()
}

// focused describes the focused element, and its defect if any.
const focused = `(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return "the page";
  const rings = [e, e.closest(".form-box, .filter-bar, .select, .log-search, .slider, .palette-input, .settings-segment"), e.nextElementSibling, e.parentElement].filter(Boolean);
  const ring = rings.some((r) => { const s = getComputedStyle(r); return (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) || s.boxShadow !== "none"; });
  const name = (e.getAttribute("aria-label") ?? "") || e.innerText?.trim() || [...(e.labels ?? [])].map((l) => l.innerText).join(" ") || e.getAttribute("aria-labelledby") || e.querySelector("caption")?.innerText;
  const box = e.getBoundingClientRect();
  const what = e.tagName + "." + e.className + " " + (name ?? "").slice(0, 40);
  if (!ring) return "bad: no ring: " + what;
  if (!name) return "bad: no name: " + what;
  if (!e.matches(".to-content") && (box.bottom < 0 || box.top > innerHeight)) return "bad: out of sight: " + what;
  return what;
})()`

// TestTargets: on a phone, touch targets are 44 pixels high, or 24 within text, and tables of
// statistics do not scroll sideways.
func TestTargets(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Size(390, 844)
	for _, v := range append(mainViews(), browser.View{Name: "stats-waiting", Path: "/stats/waiting", Ready: browser.Has(".stats canvas")}, browser.View{Name: "drawer", Path: "/jobs" + aside(jobFailed), Ready: browser.Has(".drawer .why-facts")}) {
		p.Settled(v)
		p.Finds(v.Name, "on a phone", `(() => {
  const bad = [];
  for (const e of document.querySelectorAll("button, a, input, select, summary")) {
    if (!e.checkVisibility() || e.closest(".hidden-text, [inert], .to-content") || e.disabled) continue;
    const box = (e.closest("label") ?? e.closest(".form-box, .log-search, .filter-bar") ?? e).getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const inText = e.matches("p a, dd a, td a, th a, li a, .crumbs a, .card-side a, .card-head a, .jobs-crumbs a, .part-head a, .timeline-name, td button, dd button, .uid, p button, .token button");
    const least = inText ? 24 : 44;
    if (Math.round(box.height) >= least) continue;
    e.scrollIntoView({ block: "center" });
    const at = e.getBoundingClientRect(), x = at.left + at.width / 2, y = at.top + at.height / 2;
    const top = document.elementFromPoint(x, y);
    if (top && !e.contains(top) && !top.contains(e)) continue; // something lies above it
    const reached = [y - least / 2 + 2, y + least / 2 - 2].every((v) => { const hit = document.elementFromPoint(x, v); return hit && (e.contains(hit) || hit.contains(e) && hit.matches("button, a, label")); });
    if (!reached) bad.push(e.tagName + "." + e.className + " is " + box.height.toFixed(0) + " high: " + (e.innerText || e.getAttribute("aria-label") || "").slice(0, 30));
  }
  for (const e of document.querySelectorAll(".stats-table-box")) if (e.scrollWidth > e.clientWidth + 1) bad.push("a table is " + e.scrollWidth + " wide in " + e.clientWidth);
  return bad.slice(0, 8).join("\n");
})()`)
	}
	p.Close()
}

// TestAtInstant: with ?at=, the times of open jobs end at the instant, and not now.
func TestAtInstant(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	const at = "2026-11-22T01:15:00Z"
	p.Settled(browser.View{Name: "jobs", Path: "/jobs?at=" + at + "&state=Queued&state=Running", Ready: browser.Has("tr.row")})
	p.Finds("waited and ran", "at an instant", `(() => {
  const heads = [...document.querySelectorAll(".jobs-table thead th")].map((e) => e.innerText.trim()), at = Date.parse("`+at+`");
  const seconds = (t) => [...t.matchAll(/(\d+)([dhms])/g)].reduce((s, m) => s + Number(m[1]) * { d: 86400, h: 3600, m: 60, s: 1 }[m[2]], 0);
  return [...document.querySelectorAll("tr.row")].flatMap((r) => {
    const cells = [...r.children].map((c) => c.innerText), of = (h) => seconds(cells[heads.findIndex((x) => x.endsWith(h))]);
    const age = (at - Date.parse(r.querySelector("time").dateTime)) / 1000, sum = of("Waited") + of("Ran");
    return sum > age + 1 ? [cells[1] + " is " + age + " s old and has waited and run for " + sum] : [];
  }).slice(0, 3).join("\n");
})()`)
	p.Close()
}

// TestTimes: times are in the browser's zone, and the tip has UTC.
func TestTimes(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Zone("Asia/Shanghai")
	p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll time")})
	p.Finds("times", "in Shanghai", `[...document.querySelectorAll(".jobs-scroll time")].flatMap((e) => {
  const want = new Date(Date.parse(e.dateTime) + 8 * 3600e3).toISOString().slice(11, 16);
  return e.innerText.includes(want) && e.dataset.tip === new Date(e.dateTime).toISOString().replace("T", " ").replace(/(\.\d+)?Z$/, " UTC") ? [] : [e.dateTime + " is shown as " + e.innerText + ", " + e.dataset.tip];
}).slice(0, 3).join("\n")`)
	p.Zone("")
	p.Close()
}

// TestWorkerErrors: an error in the SharedWorker is detected when a tab is closed.
func TestWorkerErrors(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")})
	p.Worker(chromedp.Evaluate(`setTimeout(() => { throw new Error("a fault of the worker"); })`, nil))
	patience.Until(t, "the fault of the worker", func() string {
		p.Worker()
		if all := strings.Join(p.Forbidden(), " "); !strings.Contains(all, "a fault of the worker") {
			return "faults: " + all
		}
		return ""
	})
	p.Forgive()
	p.Close()
}
