package apitest

import (
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vedette-io/vedette/internal/structural"
)

// shape sets the defaults of an object and drops its unknown fields. It does nothing without a schema.
func shape(s *structural.Schema, content map[string]any) {
	if s != nil {
		s.SetDefaults(content)
		s.Prune(content)
	}
}

// unknownFields returns messages about the fields of an encoded object that a schema does not have.
func unknownFields(s *structural.Schema, data []byte) (problems []string) {
	var content map[string]any
	if s == nil || utiljson.Unmarshal(data, &content) != nil {
		return nil
	}
	for _, path := range s.Prune(content) {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	return problems
}
