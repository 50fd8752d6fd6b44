package template

import (
	"embed"
	"fmt"
	"path"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Default is the name of the default template.
const Default = "job"

// Builtin returns the templates of the program. Other templates may replace them.
func Builtin() *Set {
	s := &Set{}
	files, err := builtin.ReadDir("builtin")
	for _, f := range files {
		text, readErr := builtin.ReadFile(path.Join("builtin", f.Name()))
		if err = readErr; err != nil {
			break
		}
		t, parseErr := Parse("built-in template "+f.Name(), text)
		s.put("built in", f.Name(), text, t, parseErr)
	}
	if err != nil { // the files are a part of the program
		s.put("built in", Default, nil, nil, fmt.Errorf("the built-in templates cannot be read: %w", err))
	}
	return s
}
