package config

import "testing"

// TestExampleWithoutSecrets: the example can be shown on a machine without its secret
// files.
func TestExampleWithoutSecrets(t *testing.T) {
	o := environment(nil)
	o.WithoutSecrets = true
	if _, err := Load(exampleFile, o); err != nil {
		t.Error(err)
	}
}
