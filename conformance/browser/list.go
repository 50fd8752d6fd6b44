package browser

import "fmt"

// Row returns an expression for the row of a job in the list. The expression is undefined if the list does not show the job.
func Row(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("tr.row")].find((r) => r.querySelector("th a")?.innerText === %s)`, Quoted(name))
}

// RowShows waits until the row of a job in the list has a text.
func (p *Tab) RowShows(name, text string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("the row of %s shows %q", name, text), fmt.Sprintf(`(() => { const text = (%s)?.innerText ?? "no row"; return text.includes(%s) || text; })()`, Row(name), Quoted(text)))
}

// Follow clicks the name of a job in the list.
func (p *Tab) Follow(name string) {
	p.T.Helper()
	p.Until("click "+name, fmt.Sprintf(`(() => { const a = (%s)?.querySelector("th a"); a?.click(); return a !== undefined; })()`, Row(name)))
}

// Mark marks the page for Kept.
func (p *Tab) Mark() {
	p.T.Helper()
	p.Text("window.unloaded = false")
}

// Kept fails the test if the page was loaded again since Mark.
func (p *Tab) Kept() {
	p.T.Helper()
	if got := p.Text("window.unloaded === false"); got != "true" {
		p.T.Errorf("the page was loaded again: %s", got)
	}
}

// Sees waits until the list in a marked page has a new job, at once or after a click on the number
// of new jobs, and without a reload.
func (p *Tab) Sees(name string) {
	p.T.Helper()
	p.Until(name+" is in the list", fmt.Sprintf(`(() => {
  if (%s) return true;
  document.querySelector(".new-jobs")?.click();
  return document.querySelector(".jobs-scroll")?.innerText ?? "no list";
})()`, Row(name)))
	p.Kept()
}
