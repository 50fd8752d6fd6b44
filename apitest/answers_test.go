package apitest_test

import (
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/answers"
)

// TestAnswers: the server answers each request of a file as a real server does, except where the file says otherwise.
// conformance/answers compares the file with a real server.
func TestAnswers(t *testing.T) {
	steps, err := answers.Read("testdata/answers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{
			SystemNamespaces: true, CheckNamespaces: true, Ownership: apitest.OwnershipAlways,
			Types: []apitest.Type{{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true, Status: true}},
		})
		got, err := answers.Play(t.Context(), srv.RESTConfig(), steps)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			switch answer := got[step.Name]; {
			case step.Differs != "" && answer == step.Want:
				t.Errorf("%s: the answer is that of a real server now: remove differs", step.Name)
			case step.Differs != "" && answer != step.Differs:
				t.Errorf("%s: got %q, want %q, or better %q", step.Name, answer, step.Differs, step.Want)
			case step.Differs == "" && answer != step.Want:
				t.Errorf("%s: got %q, want %q", step.Name, answer, step.Want)
			}
		}
	})
}
