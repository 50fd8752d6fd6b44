package config

import (
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestExampleWithoutSecrets: the example can be shown on a machine without its secret
// files.
func TestExampleWithoutSecrets(t *testing.T) {
	testinput.Uncached(t)
	o := environment(nil)
	o.WithoutSecrets = true
	if _, err := Load(exampleFile, o); err != nil {
		t.Error(err)
	}
}
