package jsontext_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/jsontext"
	"github.com/vedette-io/vedette/internal/testinput"
)

func TestMask(t *testing.T) {
	mask := jsontext.NewMask([]string{"metadata", "resourceVersion"}, []string{"data"}, []string{"spec", "containers", "env"}, []string{"light", "*"}, []string{"light", "policy", "*"}, []string{"deep", "a"}, []string{"deep", "a", "b"})
	for body, want := range map[string]string{
		`{}`:                           `{}`,
		`{"a":1}`:                      `{"a":1}`,
		`{"data":{"a":"}"}}`:           `{}`,
		`{"data":1,"a":2}`:             `{"a":2}`,
		`{"a":2,"data":[1,2]}`:         `{"a":2}`,
		`{"a":2,"data":1,"b":3}`:       `{"a":2,"b":3}`,
		`{"data":1,"a":{},"data":2}`:   `{"a":{}}`,
		`{"\u0064ata":"x","a":"\"\\"}`: `{"a":"\"\\"}`,
		`{"metadata":{"name":"a","resourceVersion":"1"},"x":{"resourceVersion":"1"}}`: `{"metadata":{"name":"a"},"x":{"resourceVersion":"1"}}`,
		`{"metadata":null,"spec":7}`: `{"metadata":null,"spec":7}`,
		`{"spec":{"containers":[{"env":[{"a":1}],"name":"a"},{"name":"b"},3,[{"env":0}]]}}`: `{"spec":{"containers":[{"name":"a"},{"name":"b"},3,[{}]]}}`,
		`{"light":{"a":1,"b":{"c":1},"d":"e","f":[1],"g":null}}`:                            `{"light":{"a":1,"d":"e","g":null}}`,
		`{"light":{"a":1,"policy":{"on":true,"b":{"c":1}},"d":{"policy":{"on":1}}}}`:        `{"light":{"a":1,"policy":{"on":true}}}`,
		`{"deep":{"a":{"b":1,"c":2},"z":3}}`:                                                `{"deep":{"z":3}}`,
		"{\n  \"a\": [\n    1,\n    2\n  ],\n  \"data\": \"x\",\n \"b\": \"a  \\n b\"\n}\n": `{"a":[1,2],"b":"a  \n b"}`,
		`{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`:                   `{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`,
		`{"a":1`:        "error",
		`{"a":1}}`:      "error",
		`{"a":1 "b":2}`: "error",
		`{"a"}`:         "error",
		`{"a":`:         "error",
		`[1]`:           "error",
		``:              "error",
		`{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`: `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		`{"spec":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`:  "error",
	} {
		got, err := mask.Append([]byte("before"), []byte(body))
		if string(got) != "before"+want && (err == nil || want != "error") {
			t.Errorf("%.60s: got %s, %v; want %.60s", body, got, err, want)
		}
		if err != nil && string(got) != "before" {
			t.Errorf("%.60s: got %s with an error, want dst unchanged", body, got)
		}
	}
}

// TestMaskAgainstModel compares masking a text with deleting the field from the
// decoded object.
func TestMaskAgainstModel(t *testing.T) {
	names := []string{"a", "b", "c d", "é\"", "metadata"}
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0 || depth == 0:
				return rapid.StringN(0, 5, -1).Draw(t, "text")
			case kind == 1:
				return rapid.SampledFrom([]any{nil, true, 1.5, 0.0}).Draw(t, "word")
			case kind == 2:
				return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "array")
			}
			m := map[string]any{}
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(t, "names") {
				m[name] = value(depth-1).Draw(t, "value")
			}
			return m
		})
	}
	testinput.Check(t, func(t *rapid.T) {
		object := map[string]any{"a": value(4).Draw(t, "a"), "b": value(4).Draw(t, "b")}
		path := rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(t, "path")
		text, err := json.Marshal(object)
		if rapid.Bool().Draw(t, "indented") {
			text, err = json.MarshalIndent(object, "", "  ")
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := jsontext.NewMask(path).Append(nil, text)
		if err != nil {
			t.Fatalf("mask of %s failed: %v", text, err)
		}
		var is, want any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatalf("%s: got %s, which is not JSON: %v", text, got, err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		remove(want, path)
		if !reflect.DeepEqual(is, want) {
			t.Fatalf("%s without %q: got %s", text, path, got)
		}
	})
}

func remove(v any, path []string) {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		remove(v[path[0]], path[1:])
	case []any:
		for _, item := range v {
			remove(item, path)
		}
	}
}
