// Package answers compares the answers of package apitest with those of a real API server.
package answers

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/internal/answers"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// maxOther is the number of answers in which apitest differs from a real API server. It only shrinks.
const maxOther = 11

// TestAnswers: a real API server gives the answers of the file. TestAnswers of apitest compares apitest with the same
// file, in which differs is the list of the answers that are still others.
func TestAnswers(t *testing.T) {
	steps, err := answers.Read("../../apitest/testdata/answers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, Nodes: -1})
	cluster, err := kube.Connect(kube.Config{REST: plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	all, err := manifest.Parse(t.Context(), "definition.yaml", []byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Create(t.Context(), cluster, all...); err != nil {
		t.Fatal(err)
	}
	crds.Served(t, cluster, "widgets.example.com")
	got, err := answers.Play(t.Context(), plane.RESTConfig(), steps)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for _, step := range steps {
		if answer := got[step.Name]; answer != step.Want {
			t.Errorf("%s: the API server answers %q, and the file says %q", step.Name, answer, step.Want)
		}
		if step.Differs != "" {
			differ++
		}
	}
	if differ > maxOther {
		t.Errorf("apitest gives %d other answers, want %d at most: the list only shrinks", differ, maxOther)
	}
}
