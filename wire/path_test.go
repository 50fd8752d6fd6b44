package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		"spec.nodeName":                                  "",
		".spec.nodeName":                                 "spec.nodeName",
		"metadata.labels['app']":                         "metadata.labels.app",
		`metadata.labels["a.b/c"]`:                       "metadata.labels['a.b/c']",
		"metadata.labels.a/b":                            "",
		"metadata.ownerReferences[*].uid":                "",
		`metadata.annotations['it\'s']`:                  "",
		`metadata.annotations["it's \"so\" \\"]`:         `metadata.annotations['it\'s "so" \\']`,
		`status.conditions[?(@.type=="Ready")].status`:   "",
		`status.conditions[?(@.type == 'Ready')].status`: `status.conditions[?(@.type=="Ready")].status`,
		"['a b'].c":   "",
		"a[*][*]":     "",
		"a[''].b['']": "",
		`a[""]`:       "a['']",
		"_a-1['']'']": "error 6",
	} {
		p, err := ParsePath(text)
		if strings.HasPrefix(want, "error") {
			if err == nil {
				t.Errorf("%s: got no error", text)
			}
			continue
		}
		if want == "" {
			want = text
		}
		if err != nil || p.String() != want {
			t.Errorf("%s: got %s, %v", text, p, err)
		}
	}
}

// TestPathErrors checks the column, which § marks, and a part of the reason.
func TestPathErrors(t *testing.T) {
	for text, want := range map[string]string{
		"§":                           "the end",
		".§":                          "the end",
		"§[*].a":                      "begins with a name",
		`§[?(@.a=="b")]`:              "begins with a name",
		"a.§":                         "the end",
		"a§ b":                        "found",
		"a.§.b":                       "want a name",
		"a[§0]":                       "name in quotes",
		"a[§]":                        "name in quotes",
		"a[*§":                        "want \"]\"",
		"a['b'§.c":                    "want \"]\"",
		"a['b§":                       "closing quote",
		`a['b\§c']`:                   "backslash",
		"a§]":                         "found",
		`a[?§@.b=="c"]`:               "filter",
		`a[?(@.b§!="c")]`:             "filter",
		`a[?(@.b==§3)]`:               "text in quotes",
		`a[?(@.b==§"")]`:              "quoted text is empty",
		`a[?(@.b=="c"§ && @.d=="e")]`: "filter",
		"a.metadata.labels.app§\\.kubernetes\\.io": "['...']",
		strings.Repeat("a.", maxSteps) + "a§":      "more than",
	} {
		at := strings.Index(text, "§")
		_, err := ParsePath(strings.Replace(text, "§", "", 1))
		var bad *PathError
		if !errors.As(err, &bad) || bad.Column != at+1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want column %d and %q", text, err, at+1, want)
		}
	}
}

// TestPathsAreWrittenAsTheyAreRead checks that ParsePath returns the same path for the
// result of String.
func TestPathsAreWrittenAsTheyAreRead(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		var p Path
		for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
			s := step{name: rapid.StringMatching(`[a-z]{1,3}|.{0,6}|[\\'"]{1,4}`).Draw(t, "name")}
			if i > 0 {
				s.kind = stepKind(rapid.IntRange(0, 2).Draw(t, "kind"))
			}
			switch s.kind {
			case stepEvery:
				s.name = ""
			case stepWhere:
				s.text = "x" + s.name
				s.name = "type"
			}
			p.steps = append(p.steps, s)
		}
		got, err := ParsePath(p.String())
		if err != nil {
			t.Fatalf("%s: got %v", p, err)
		}
		for i := range got.steps {
			got.steps[i].column = 0
		}
		if !reflect.DeepEqual(got, p) {
			t.Fatalf("%s was parsed as %s", p, got)
		}
	})
}

// TestFieldsThatAreRefused checks that a path is validated against its type.
func TestFieldsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"spec.§nodename":                         `no field "nodename"; the closest is "nodeName"`,
		"spec.§restartpolcy":                     `"restartPolicy"`,
		"§sepc.nodeName":                         `"spec"`,
		"spec.volumes[*].§configmap.name":        `"configMap"`,
		"spec.§containers":                       "write [*]",
		"spec.containers.§image":                 "write [*] before",
		"spec.containers[*]":                     "",
		"metadata.§labels":                       "name one key",
		"§spec":                                  "name one of its fields",
		"spec.nodeName.§x":                       "scalar",
		"spec§[*]":                               "is not a list",
		"metadata.creationTimestamp.§seconds":    "scalar",
		"metadata.managedFields[*].§fieldsV1":    "no fixed JSON form",
		"metadata.managedFields[*].fieldsV1.§x":  "no fixed JSON form",
		"§kind":                                  "not in protobuf",
		"§apiVersion":                            "not in protobuf",
		`metadata.labels§[?(@.a=="b")]`:          "filters apply only to lists",
		`metadata.finalizers§[?(@.a=="b")]`:      "not objects",
		`spec.containers§[?(@.nam=="b")].image`:  `"name"`,
		`spec.containers§[?(@.ports=="b")].name`: "not a string",
		`status.conditions§[?(@.type=="Ready")]`: "name one of its fields",
	} {
		at := strings.Index(text, "§")
		_, err := FieldOf[corev1.Pod](strings.Replace(text, "§", "", 1))
		var bad *PathError
		if !errors.As(err, &bad) || at >= 0 && bad.Column != at+1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want column %d and %q", text, err, at+1, want)
		}
	}
	for what, err := range map[string]error{
		"bytes":            second(FieldOf[corev1.Secret]("data.password")),
		"spec of metadata": second(FieldOf[metav1.PartialObjectMetadata]("spec.nodeName")),
		"an invalid path":  second(FieldOf[unstructured.Unstructured]("a b")),
		"a raw object":     second(FieldOf[metav1.WatchEvent]("object")),
	} {
		if err == nil {
			t.Errorf("%s: got no error", what)
		}
	}
	for what, err := range map[string]error{
		"anything of Unstructured":     second(FieldOf[unstructured.Unstructured]("no.such[*].field")),
		"anything of a custom struct":  second(FieldOf[trainJob]("spec.other")),
		"kind of Unstructured":         second(FieldOf[unstructured.Unstructured]("kind")),
		"metadata of metadata objects": second(FieldOf[metav1.PartialObjectMetadata]("metadata.name")),
	} {
		if err != nil {
			t.Errorf("%s: got %v", what, err)
		}
	}
}
