package template_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// TestExample: the documented template equals the one in the examples, and behaves as
// documented.
func TestExample(t *testing.T) {
	testinput.Uncached(t)
	page, err := os.ReadFile("../../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../../examples/submit/finetune.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n```yaml\n"+string(file)+"```\n") {
		t.Error("docs/templates.md does not have examples/submit/finetune.yaml")
	}
	set := template.Builtin()
	if err := set.AddFolder("../../../examples/submit"); err != nil {
		t.Fatal(err)
	}
	tmpl, err := set.Get("finetune")
	if err != nil {
		t.Fatal(err)
	}
	values, err := tmpl.Values([]string{"data=wiki", "queue=team-a", "nodes=2", "hours=2", "options=--lr=1e-5"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := tmpl.Render(values)
	if err != nil {
		t.Fatal(err)
	}
	if name := m.Object.GetGenerateName(); name != "finetune-qwen-7b-" {
		t.Errorf("the name begins with %q", name)
	}
	if line, _ := m.Line("spec.runPolicy.activeDeadlineSeconds"); line != strings.Count(strings.Split(string(file), "activeDeadlineSeconds")[0], "\n")+1 {
		t.Errorf("the deadline is in line %d", line)
	}
	values["model"] = "qwen-72b"
	_, err = tmpl.Render(values)
	if want := "template finetune: qwen-72b needs at least 4 nodes, and 2 are asked for"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, e := range template.Builtin().All() {
		if !strings.Contains(string(page), "`"+e.Name+"`") {
			t.Errorf("the page does not name the template %s", e.Name)
		}
	}
	for _, f := range []string{"when(", "unlessEmpty(", "entries(", "join(", "shell(", "lower("} {
		if !strings.Contains(string(page), "| `"+f) {
			t.Errorf("the page does not explain %s", f)
		}
	}
}
