package apitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/structural"
)

// definition is the part of a CustomResourceDefinition of apiextensions.k8s.io/v1 that the server has.
type definition struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string `json:"group"`
		Scope string `json:"scope"`
		Names struct {
			Kind       string   `json:"kind"`
			ListKind   string   `json:"listKind"`
			Plural     string   `json:"plural"`
			ShortNames []string `json:"shortNames"`
			Categories []string `json:"categories"`
		} `json:"names"`
		PreserveUnknownFields bool                `json:"preserveUnknownFields"`
		Versions              []definitionVersion `json:"versions"`
	} `json:"spec"`
}

type definitionVersion struct {
	Name         string `json:"name"`
	Served       bool   `json:"served"`
	Storage      bool   `json:"storage"`
	Subresources struct {
		Status *struct{} `json:"status"`
	} `json:"subresources"`
	Schema struct {
		OpenAPI json.RawMessage `json:"openAPIV3Schema"`
	} `json:"schema"`
	SelectableFields []struct {
		JSONPath string `json:"jsonPath"`
	} `json:"selectableFields"`
}

// ReadDefinitions returns the types of the CustomResourceDefinitions in YAML files, for Config.Types or Register. The
// server then treats objects by the structural schema of the definition, as a cluster does: it sets defaults, drops
// unknown fields with a warning, and refuses what is not valid. Documents of other kinds are skipped. Of several
// versions, the stored version is served.
//
// Errors: those of reading a file; ErrType for a file without a definition, and for a definition that is incomplete.
func ReadDefinitions(paths ...string) (types []Type, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found, err := parseDefinitions(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrType, path, err)
		}
		types = append(types, found...)
	}
	return types, nil
}

// parseDefinitions returns the types of the definitions in a file.
func parseDefinitions(text []byte) (types []Type, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var d definition
		if err := yaml.Unmarshal(document, &d); err != nil {
			return nil, err
		}
		if d.Kind != "CustomResourceDefinition" {
			continue
		}
		t, err := d.typeOf()
		if err != nil {
			return nil, fmt.Errorf("the definition %q: %w", d.Metadata.Name, err)
		}
		types = append(types, t)
	}
	if len(types) == 0 {
		return nil, errors.New("the file has no CustomResourceDefinition")
	}
	return types, nil
}

// typeOf returns the type that a definition defines.
func (d *definition) typeOf() (Type, error) {
	names := d.Spec.Names
	t := Type{
		Group: d.Spec.Group, Kind: names.Kind, ListKind: names.ListKind, Resource: names.Plural,
		ShortNames: names.ShortNames, Categories: names.Categories,
	}
	switch {
	case d.APIVersion != "apiextensions.k8s.io/v1":
		return t, fmt.Errorf("its apiVersion is %q, not apiextensions.k8s.io/v1", d.APIVersion)
	case d.Metadata.Name != names.Plural+"."+d.Spec.Group:
		return t, fmt.Errorf("its name must be %s.%s", names.Plural, d.Spec.Group)
	case d.Spec.Scope != "Namespaced" && d.Spec.Scope != "Cluster":
		return t, fmt.Errorf("its scope is %q, not Namespaced or Cluster", d.Spec.Scope)
	case d.Spec.PreserveUnknownFields:
		return t, errors.New("preserveUnknownFields must be false")
	}
	t.Namespaced = d.Spec.Scope == "Namespaced"
	for _, v := range d.Spec.Versions {
		if !v.Served || !v.Storage {
			continue
		}
		if len(v.Schema.OpenAPI) == 0 {
			return t, fmt.Errorf("version %s has no schema", v.Name)
		}
		t.Version, t.Status = v.Name, v.Subresources.Status != nil
		for _, f := range v.SelectableFields {
			t.SelectableFields = append(t.SelectableFields, strings.TrimPrefix(f.JSONPath, "."))
		}
		var err error
		t.schema, err = structural.Parse(v.Schema.OpenAPI)
		return t, err
	}
	return t, errors.New("it has no version that is served and stored")
}
