package pages_test

import (
	"testing"

	"github.com/vedette-io/vedette/conformance/browser"
)

// english finds English sentences on a Chinese page: two words in a row that are not names.
// Texts of other systems have lang="en"; text in a monospaced font is code.
const english = `(() => {
  const names = new Set(("Vedette Pod Pods GPU GPUs CPU CPUs YAML API UID UTC Kueue Volcano Kubernetes Kubeflow Ray Job JobSet PyTorchJob RayJob TrainJob OpenAPI RFC Shell Bearer Inter Ctrl Enter Esc Space " +
    "Feishu Mail Slack Webhook Kafka stream to English ci-results fixture Worker Workload Node Trainer").split(" "));
  const skip = "code, pre, .mono, .log, .log-small, .drawer-log, .yaml, .diff, .name, [lang=en], kbd, .job-title h1, h2.drawer-name, svg, option, .cut, .view-name, .settings-name, .docs-type, .uid";
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const check = (text, where) => {
    const plain = text.split(/\s+/).map((word) => (/^[A-Za-z][a-z]*[,.:;!?]?$/.test(word) && !names.has(word.replace(/\W$/, "")) ? "w" : " ")).join("");
    if (/ww/.test(plain)) found.push(where + ": " + text.trim().slice(0, 80));
  };
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (e && !e.closest(skip + ", script, style, noscript")) check(walk.currentNode.data, e.tagName + "." + e.className);
  }
  for (const e of document.querySelectorAll("[aria-label], [placeholder], [data-tip], [title], [alt]")) {
    if (e.closest(skip)) continue;
    for (const name of ["aria-label", "placeholder", "data-tip", "title", "alt"]) check(e.getAttribute(name) ?? "", name + " of " + e.className);
  }
  for (const e of document.querySelectorAll("main *")) {
    const own = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("");
    if (!e.closest(skip) && /[\u4e00-\u9fff][,:;?]/.test(own)) found.push("half-width: " + own.trim().slice(0, 60));
  }
  return [...new Set(found)].slice(0, 12).join("\n");
})()`

// speaksChinese checks that a Chinese page has no English sentence.
func speaksChinese(p *browser.Tab, name string) {
	p.T.Helper()
	p.Finds(name, "in Chinese", english)
}

// TestChineseCheck: the check of speaksChinese finds English sentences, and ignores names.
func TestChineseCheck(t *testing.T) {
	p := browser.New(t).Tab(world(t))
	p.Look("light", "zh")
	p.Settled(browser.View{Name: "jobs", Path: "/jobs", Ready: browser.Has(".jobs-scroll a")})
	speaksChinese(p, "jobs")
	p.Text(`document.querySelector("main").append(Object.assign(document.createElement("p"), { textContent: "Nothing was found." }))`)
	if got := p.Text(english); got == "" {
		t.Error("an English sentence was not found")
	}
	p.Close()
}
