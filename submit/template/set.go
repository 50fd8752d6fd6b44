package template

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFiles is how many templates a folder may have.
const maxFiles = 500

// Entry is a template of a Set, or what kept it from being one.
type Entry struct {
	// Name is the template's name; that of its file if the template is broken.
	Name string
	// From is where it was read: "built in", a file or a ConfigMap.
	From string
	// Template is nil if Err is not.
	Template *Template
	// Err is all mistakes of a broken template, joined.
	Err error
	// Hides is where templates of the same name come from that this one replaces.
	Hides []string
}

// Set is templates by their names. A template that is added later replaces those of the
// same name. A Set belongs to one goroutine.
type Set struct {
	byName map[string]Entry
	broken []Entry
}

// All returns the templates by name, and after them the broken ones.
func (s *Set) All() []Entry {
	var all []Entry
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		all = append(all, s.byName[name])
	}
	return append(all, s.broken...)
}

// Get returns the template of a name.
//
// Errors: there is none, with the names that there are; it is broken, with its mistakes.
func (s *Set) Get(name string) (*Template, error) {
	if e, ok := s.byName[name]; ok {
		return e.Template, nil
	}
	var errs []error
	for _, e := range s.broken {
		if e.Name == name {
			errs = append(errs, fmt.Errorf("the template %s from %s is broken: %w", clip(name), e.From, e.Err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	text := strings.Join(slices.Sorted(maps.Keys(s.byName)), ", ")
	if len(s.broken) > 0 {
		text += fmt.Sprintf("; %d more are broken: see vedette template ls", len(s.broken))
	}
	return nil, fmt.Errorf("there is no template %s; there are %s", clip(name), text)
}

// Add adds the template of a file that was read. fallback is its name if it is broken.
func (s *Set) Add(from, fallback string, text []byte) {
	t, err := Parse(from, text)
	s.put(from, fallback, t, err)
}

func (s *Set) put(from, fallback string, t *Template, err error) {
	if err != nil {
		s.broken = append(s.broken, Entry{Name: fallback, From: from, Err: err})
		return
	}
	e := Entry{Name: t.Name, From: from, Template: t}
	if before, there := s.byName[t.Name]; there {
		e.Hides = append(slices.Clone(before.Hides), before.From)
	}
	if s.byName == nil {
		s.byName = map[string]Entry{}
	}
	s.byName[t.Name] = e
}

// AddFolder adds the templates of a folder: its files that end in .yaml or .yml, in the
// order of their names. Broken ones become broken entries.
//
// Errors: the folder cannot be read; it has more than 500 templates.
func (s *Set) AddFolder(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the folder with templates cannot be read: %w", err)
	}
	files = slices.DeleteFunc(files, func(f fs.DirEntry) bool { return f.IsDir() || !isTemplate(f.Name()) })
	if len(files) > maxFiles {
		return fmt.Errorf("the folder %s has %d templates; at most %d are read", dir, len(files), maxFiles)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		t, err := Load(path)
		s.put(path, baseName(f.Name()), t, err)
	}
	return nil
}

// isTemplate reports whether a file's name is that of a template. Hidden files, such as those
// of editors, are none.
func isTemplate(name string) bool {
	return (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) && !strings.HasPrefix(name, ".")
}

func baseName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".yaml"), ".yml")
}
