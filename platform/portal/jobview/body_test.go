package jobview_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// TestBody: fields are sorted by name, and lines that users did not write are marked.
func TestBody(t *testing.T) {
	b, err := jobview.Body([]byte(`{"spec":{"count":12345678901234567},"kind":"Job","metadata":{"uid":"u","name":"a","generation":2,"labels":{"uid":"x"},
		"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}\n","mine":"1"},"managedFields":[{"manager":"m"}]},"apiVersion":"batch/v1","status":{"uid":"s"}}`), 7)
	want := strings.Join([]string{
		"apiVersion: batch/v1", "kind: Job", "metadata:", "  annotations:", "    kubectl.kubernetes.io/last-applied-configuration: |", "      {}", `    mine: "1"`, "  generation: 2",
		"  labels:", "    uid: x", "  managedFields:", "  - manager: m", "  name: a", `  resourceVersion: "7"`, "  uid: u", "spec:", "  count: 12345678901234567", "status:", "  uid: s", "",
	}, "\n")
	if b.YAML != want || b.Version != "7" || err != nil {
		t.Errorf("got version %s, error %v and\n%s\nwant version 7 and\n%s", b.Version, err, b.YAML, want)
	}
	var marked []int
	for _, r := range b.Bookkeeping {
		for n := r.From; n <= r.To; n++ {
			marked = append(marked, n)
		}
	}
	if !slices.Equal(marked, []int{5, 6, 8, 11, 12, 14, 15}) {
		t.Errorf("got bookkeeping %v, want lines 5, 6, 8, 11, 12, 14 and 15", b.Bookkeeping)
	}
	for _, text := range []string{"", "[]", "{", "null"} {
		if b, err := jobview.Body([]byte(text), 1); err == nil && b.YAML != "{}\n" && b.YAML != "null\n" {
			t.Errorf("body %q: got %q, want an error or an empty document", text, b.YAML)
		}
	}
}

// within returns JSON with a text nested in texts, some levels deep.
func within(text string, levels int) string {
	for range levels {
		b, _ := json.Marshal(text) // texts have no errors
		text = string(b)
	}
	return text
}

// TestSecretsAreHidden: the data of a Secret is hidden at any depth, also in texts.
func TestSecretsAreHidden(t *testing.T) {
	const hidden = "hunter2"
	if _, err := jobview.Body([]byte(`{"apiVersion":"v1","kind":"Secret","data":{"a":"hunter2"}}`), 1); !errors.Is(err, jobview.ErrSecret) {
		t.Errorf("a Secret: got %v, want ErrSecret", err)
	}
	for _, spec := range []string{
		`{"template":{"apiVersion":"v1","kind":"Secret","data":{"a":"hunter2"},"stringData":{"b":"hunter2"}}}`,
		`{"items":[{"kind":"Secret","data":"hunter2"},[{"stringData":["hunter2"],"kind":"Secret"}]]}`,
		`{"manifest":"apiVersion: v1\nkind: Secret\ndata:\n  a: hunter2\n"}`,
		`{"manifest":"- {kind: Secret, data: {a: hunter2}}"}`,
		`{"manifest":"kind: \"Secret\" # mine\ndata: hunter2"}`,
		`{"list":["{\"kind\": \"Secret\", \"data\": \"hunter2\"}"]}`,
		`{"manifest":"'kind' : 'Secret'\ndata: hunter2"}`,
		`{"manifest":"kind: !!str Secret\nstringData: {a: hunter2}"}`,
		`{"manifest":"kind: &k Secret\nstringData: {a: hunter2}"}`,
		`{"manifest":"kind: >-\n  Secret\nstringData: {a: hunter2}"}`,
		`{"manifest":"kind: SecretList\nitems:\n- data: {a: hunter2}"}`,
		`{"list":{"kind":"SecretList","items":[{"data":{"a":"hunter2"}}]}}`,
		`{"manifest":"{\"kind\":\"\\u0053ecret\",\"data\":\"hunter2\"}"}`,
		`{"manifest":` + within("apiVersion: v1\nkind: Secret\nstringData:\n  a: hunter2\n", 2) + `}`, // the annotation that kubectl apply writes to a workflow
		`{"manifest":` + within(`{"kind":"Secret","data":{"a":"hunter2"}}`, 3) + `}`,
		`{"manifest":` + within(`{"kind":"Secret","data":{"a":"hunter2"}}`, 6) + `}`,
	} {
		b, err := jobview.Body([]byte(`{"apiVersion":"x/v1","kind":"Job","metadata":{"annotations":{"last":"{\"kind\":\"Secret\",\"data\":\"hunter2\"}"}},"spec":`+spec+`}`), 1)
		if err != nil || strings.Contains(b.YAML, hidden) {
			t.Errorf("spec %s: got error %v and a body that may show a secret, want none in it:\n%s", spec, err, b.YAML)
		}
	}
	b, err := jobview.Body([]byte(`{"kind":"Job","spec":{"note":"kind: SecretProviderClass, my-kind: Secret","kind":"Secrets","data":"seen"}}`), 1)
	if err != nil || !strings.Contains(b.YAML, "seen") || !strings.Contains(b.YAML, "SecretProviderClass") {
		t.Errorf("data that is not secret is hidden: %v\n%s", err, b.YAML)
	}
}

// TestBookkeepingModel: the marked lines are the ones that a YAML parser finds.
func TestBookkeepingModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		plain := rapid.String().Filter(func(s string) bool { return !strings.ContainsAny(s, "\u0085\u2028\u2029\ufeff") }) // the parser counts them as lines
		text := rapid.OneOf(plain, rapid.SampledFrom([]string{"a\n\nuid: x\n  generation: 1\n", "  uid: y", "- x\n- y\n", "\n\n\n", "# uid", strings.Repeat("long ", 60)}))
		values := rapid.MapOfN(rapid.OneOf(text, rapid.SampledFrom([]string{"kubectl.kubernetes.io/last-applied-configuration", "uid", "labels"})), text, 0, 4)
		metadata := map[string]any{"annotations": values.Draw(t, "annotations"), "labels": values.Draw(t, "labels"), "name": text.Draw(t, "name")}
		if rapid.Bool().Draw(t, "managed") {
			metadata["managedFields"] = []any{map[string]any{"uid": text.Draw(t, "managed"), "list": []any{text.Draw(t, "item")}}, values.Draw(t, "fields")}
		}
		if rapid.Bool().Draw(t, "kept") {
			metadata["uid"], metadata["selfLink"] = text.Draw(t, "uid"), text.Draw(t, "link")
		}
		body, err := json.Marshal(map[string]any{"kind": "Job", "metadata": metadata, "spec": map[string]any{"metadata": map[string]any{"uid": text.Draw(t, "inner")}}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := jobview.Body(body, 3)
		if err != nil {
			t.Fatal(err)
		}
		marked := map[int]bool{}
		for _, r := range b.Bookkeeping {
			for n := r.From; n <= r.To; n++ {
				marked[n] = true
			}
		}
		for key, kept := range keysOf(t, b.YAML) {
			if marked[key] != kept {
				t.Fatalf("line %d is marked: %v, want %v\n%s", key, marked[key], kept, b.YAML)
			}
		}
	})
}

// keysOf returns the lines of the keys of metadata and of its annotations, and whether each is
// bookkeeping.
func keysOf(t *rapid.T, text string) map[int]bool {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatalf("not YAML: %v in\n%s", err, text)
	}
	lines := map[int]bool{}
	each := func(n *yaml.Node, f func(key, value *yaml.Node)) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			f(n.Content[i], n.Content[i+1])
		}
	}
	kept := []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"}
	each(root.Content[0], func(key, value *yaml.Node) {
		lines[key.Line] = false
		if key.Value != "metadata" {
			return
		}
		each(value, func(key, value *yaml.Node) {
			lines[key.Line] = slices.Contains(kept, key.Value)
			if key.Value == "annotations" {
				each(value, func(key, _ *yaml.Node) {
					lines[key.Line] = key.Value == "kubectl.kubernetes.io/last-applied-configuration"
				})
			}
		})
	})
	return lines
}

// TestDeepBody: a small body whose YAML would have gigabytes is refused.
func TestDeepBody(t *testing.T) {
	const deep = 5000
	text := `{"kind":"Workflow","spec":` + strings.Repeat("[", deep) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", deep) + `}`
	if b, err := jobview.Body([]byte(text), 1); !errors.Is(err, jobview.ErrLarge) {
		t.Errorf("got %d bytes and error %v, want ErrLarge", len(b.YAML), err)
	}
}
