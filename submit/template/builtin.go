package template

import (
	"embed"
	"fmt"
	"path"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Default is the name of the template for jobs whose template is not named.
const Default = "job"

// Builtin returns the templates of the program, which others may replace.
func Builtin() *Set {
	s := &Set{}
	files, err := builtin.ReadDir("builtin")
	for _, f := range files {
		var text []byte
		if text, err = builtin.ReadFile(path.Join("builtin", f.Name())); err != nil {
			break
		}
		t, parseErr := Parse("template "+baseName(f.Name()), text)
		s.put("built in", baseName(f.Name()), t, parseErr)
	}
	if err != nil { // the files are a part of the program
		s.broken = append(s.broken, Entry{Name: Default, From: "built in", Err: fmt.Errorf("the built-in templates cannot be read: %w", err)})
	}
	return s
}
