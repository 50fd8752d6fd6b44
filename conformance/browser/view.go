package browser

// Finds fails the test if an expression returns a text.
func (p *Tab) Finds(name, how, expression string) {
	p.T.Helper()
	if got := p.Text(expression); got != "" {
		p.T.Errorf("%s, %s: %s", name, how, got)
	}
}

// View is a page to test.
type View struct {
	Name, Path string
	Ready      string // an expression
}

// Settled opens a page, and waits until it has all answers and is drawn.
func (p *Tab) Settled(v View) {
	p.T.Helper()
	p.Open(v.Path)
	p.Until(v.Name+" exists", v.Ready)
	p.Until("the badge shows how current the page is", `/^(Live|As of|实时|截至)/.test(document.querySelector(".badge")?.innerText)`)
	p.Settle(v.Name)
}

// Settle waits until a page no longer changes.
func (p *Tab) Settle(name string) {
	p.T.Helper()
	p.Until(name+" has its answers", `(async () => {
  await document.fonts.ready;
  if (document.querySelector(".gray-row, .gray-rows, .skeleton")) return "rows are gray";
  const before = document.body.innerText;
  for (let i = 0; i < 12; i++) await new Promise((next) => requestAnimationFrame(next));
  return before.replace(/[0-9]/g, "") === document.body.innerText.replace(/[0-9]/g, "") || "it changes";
})()`)
}

// Fits checks that nothing is wider than the window, that only names are truncated, that no row is
// cut, and that one button is the primary one.
func (p *Tab) Fits(name string) {
	p.T.Helper()
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
	if got := p.Text(wide); got != "" {
		p.T.Errorf("%s: %s", name, got)
	}
}

// Accessible checks that axe-core finds nothing serious.
func (p *Tab) Accessible(name, axe string) {
	p.T.Helper()
	p.Text(axe + "; true")
	const run = `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .map((v) => v.id + " (" + v.nodes.length + "): " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")).join("\n"))`
	if got := p.Text(run); got != "" {
		p.T.Errorf("%s: %s", name, got)
	}
}

// Has returns an expression: an element exists.
func Has(selector string) string { return "document.querySelector(" + Quoted(selector) + ") !== null" }

// Word returns a word in the language of the page.
func (p *Tab) Word(en, zh string) string {
	if p.Text("document.documentElement.lang") == "en" {
		return en
	}
	return zh
}
