package template

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxFiles is the maximum number of templates in a folder.
const maxFiles = 500

// Entry is a template of a Set, or the mistakes of a broken one.
type Entry struct {
	// Name is the template's name. A broken template without a name has the name of its
	// file.
	Name string
	// From is the source: "built in", a file or a ConfigMap.
	From string
	// Template is nil if Err is not.
	Template *Template
	// Err is all mistakes of a broken template, joined.
	Err error
	// Hides are the sources of templates with the same name that this one replaces.
	Hides []string
}

// Set is a set of templates by name. A later template replaces earlier ones with the same
// name, even if it is broken: a job for a platform's own template must not be made from
// another one. A Set belongs to one goroutine.
type Set struct{ entries []Entry } // in the order of addition

// All returns the templates by name, including the broken ones.
func (s *Set) All() []Entry {
	var all []Entry
	for i, e := range s.entries {
		replaced := slices.ContainsFunc(s.entries[i+1:], func(later Entry) bool { return later.Name == e.Name })
		if replaced && e.Err == nil {
			continue
		}
		e.Hides = s.hides(i)
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// hides returns the sources of the templates that an entry replaces.
func (s *Set) hides(i int) []string {
	from := slices.Clip(s.entries[i].Hides)
	for _, before := range s.entries[:i] {
		if before.Name == s.entries[i].Name {
			from = append(from, before.From)
		}
	}
	return from
}

// Replaced returns the sources of the templates that the one with a name replaces. A person
// who names a built-in template learns from it that another one makes the job.
func (s *Set) Replaced(name string) []string {
	for i := len(s.entries) - 1; i >= 0; i-- {
		if s.entries[i].Name == name {
			return s.hides(i)
		}
	}
	return nil
}

// Get returns the template with a name.
//
// Errors: it does not exist, with the existing names; it is broken, with its mistakes.
func (s *Set) Get(name string) (*Template, error) {
	var names []string
	for i := len(s.entries) - 1; i >= 0; i-- {
		switch e := s.entries[i]; {
		case e.Name != name:
			names = append(names, e.Name)
		case e.Err != nil:
			return nil, fmt.Errorf("the template %s is broken: %w", clip(name), e.Err)
		default:
			return e.Template, nil
		}
	}
	slices.Sort(names)
	return nil, fmt.Errorf("there is no template %s; there are %s", clip(name), strings.Join(slices.Compact(names), ", "))
}

// Add adds the template in the text of a file. file is the file's name.
func (s *Set) Add(from, file string, text []byte) {
	t, err := Parse(from, text)
	s.put(from, file, text, t, err)
}

// AddEntry adds a template from another source, or the mistakes of a broken one. The entry
// keeps its Hides.
func (s *Set) AddEntry(e Entry) {
	e.Hides = slices.Clone(e.Hides)
	s.entries = append(s.entries, e)
}

var nameLine = regexp.MustCompile(`(?m)^name:[ \t]*["']?([a-z0-9.-]+)["']?[ \t]*(#.*)?\r?$`)

func (s *Set) put(from, file string, text []byte, t *Template, err error) {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".yaml"), ".yml")
	if err == nil {
		name = t.Name
	} else if m := nameLine.FindSubmatch(text); m != nil {
		name = string(m[1])
	}
	s.entries = append(s.entries, Entry{Name: name, From: from, Template: t, Err: err})
}

// AddFolder adds the templates of a folder: its files that end in .yaml or .yml, sorted by
// name. Invalid ones become broken entries.
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
		text, err := read(path)
		if err != nil {
			s.put(path, f.Name(), nil, nil, err)
			continue
		}
		s.Add(path, f.Name(), text)
	}
	return nil
}

// isTemplate reports whether a file name belongs to a template. Hidden files, such as
// those of editors, are ignored.
func isTemplate(name string) bool {
	return (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) && !strings.HasPrefix(name, ".")
}
