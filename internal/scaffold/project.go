package scaffold

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/vedette-io/vedette/internal/gotool"
)

// Options describe a project. Name, Type and Dir are required.
type Options struct {
	// Name is the name of the program, its image and its namespace: a DNS label.
	Name string
	// Type is the type of the objects that the controller reconciles.
	Type Type
	// Module is the path of the Go module; default example.com/NAME.
	Module string
	// Dir is the folder of the module. It must not exist, or be empty.
	Dir string
	// Version is the version of Vedette that the module requires, such as v1.2.3.
	Version string
	// Vedette is the folder of a source of Vedette that the module uses instead of Version.
	Vedette string
}

// Project is a module that can be written.
type Project struct{ opts Options }

// The forms of a DNS label (RFC 1123), of a module's path, and of a version.
var (
	nameForm   = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	moduleForm = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._~]*(/[A-Za-z0-9][-A-Za-z0-9._~]*)*$`)
	version    = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[-0-9A-Za-z.]+)?$`)
)

// New checks the options of a project.
//
// Errors: a name, module or version has an invalid form; Vedette is not the folder of its
// source.
func New(o Options) (*Project, error) {
	if !nameForm.MatchString(o.Name) {
		return nil, fmt.Errorf("the name %.80q cannot be that of an image and a namespace: use lower case letters, digits and '-', and begin with a letter", o.Name)
	}
	if o.Module == "" {
		o.Module = "example.com/" + o.Name
	}
	if !moduleForm.MatchString(o.Module) {
		return nil, fmt.Errorf("%.80q is not the path of a Go module: use a path such as example.com/team/%s", o.Module, o.Name)
	}
	if o.Dir == "" {
		return nil, errors.New("the project has no folder")
	}
	if o.Vedette != "" {
		dir, err := filepath.Abs(o.Vedette)
		if err != nil {
			return nil, err
		}
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !bytes.HasPrefix(text, []byte("module github.com/vedette-io/vedette\n")) {
			return nil, fmt.Errorf("%s is not a source of Vedette: pass the folder with its go.mod", o.Vedette)
		}
		if strings.ContainsAny(dir, " \t\"`'\n\r") {
			return nil, fmt.Errorf("go.mod cannot name the folder %q: move it to a path without spaces and quotes", dir)
		}
		o.Vedette, o.Version = filepath.ToSlash(dir), "v0.0.0"
	}
	if !version.MatchString(o.Version) {
		return nil, fmt.Errorf("this build of Vedette, %s, is not a release that go.mod can require: pass the folder of its source with --vedette", o.Version)
	}
	return &Project{o}, nil
}

// Write writes the files into the folder, all or none.
//
// Errors: the folder has files; the file system refuses.
func (p *Project) Write() error {
	files, err := p.files()
	if err != nil {
		return err
	}
	dir := filepath.Clean(p.opts.Dir)
	switch entries, err := os.ReadDir(dir); {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("the folder %s has files: choose another one", p.opts.Dir)
	case err == nil:
		if err := os.Remove(dir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for name, data := range files {
		path := filepath.Join(temp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil { // temporary folders are private
		return err
	}
	return os.Rename(temp, dir)
}

// Tidy completes go.mod and go.sum of the written module, which downloads what is missing.
//
// Errors: those of gotool.Tool.Run.
func (p *Project) Tidy(ctx context.Context) error {
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	_, err := gotool.Tool{Dir: p.opts.Dir, Env: env}.Run(ctx, "mod", "tidy")
	return err
}

//go:embed template
var templates embed.FS

// files returns the contents of the project's files by their names.
func (p *Project) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(templates, "template", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "template/"), ".tmpl")
		if !p.opts.Type.Custom() && (name == "type.go" || name == "deploy/crd.yaml") {
			return nil
		}
		data, err := p.execute(path)
		if err == nil && strings.HasSuffix(name, ".go") {
			data, err = format.Source(data)
		}
		if name == "gitignore" {
			name = ".gitignore"
		}
		files[name] = data
		return err
	})
	return files, err
}

// execute returns the text of a template.
func (p *Project) execute(path string) ([]byte, error) {
	t, err := template.ParseFS(templates, path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, p.opts)
	return text.Bytes(), err
}
