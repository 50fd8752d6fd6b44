package config

import "testing"

// TestExampleWithoutSecrets: the example can be shown on a machine that has none of the files
// that it names.
func TestExampleWithoutSecrets(t *testing.T) {
	o := environment(nil)
	o.WithoutSecrets = true
	if _, err := Load(exampleFile, o); err != nil {
		t.Error(err)
	}
}
