package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/platform/submit/manifest"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// jobSource are the flags that describe the job to submit.
type jobSource struct {
	files     []string
	template  string
	templates templateSource
	sets      []string
	name      string
	image     string
	gpus      string
	cpus      string
	memory    string
	queue     string
	env       []string
	command   []string
	stdin     io.Reader
}

// sourced is a job, and the template that it was made from, if any.
type sourced struct {
	manifest *manifest.Manifest
	template string
}

// maxInput is the maximum size of a file.
const maxInput = 16<<20 + 1

func (s *jobSource) addSourceFlags(cmd *cobra.Command) {
	s.templates.addFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVarP(&s.files, "filename", "f", nil, "file with one or several jobs as YAML or JSON; - is standard input")
	f.StringVar(&s.template, "template", "", "template to make the job from (default: job, a batch Job)")
	f.StringArrayVar(&s.sets, "set", nil, "parameter of the template as NAME=VALUE; with -f, field as PATH=VALUE, such as spec.parallelism=4")
	f.StringVar(&s.name, "name", "", "name of the job (default: the name in the file, or a name made from the content)")
	f.StringVar(&s.image, "image", "", "image of the container")
	f.StringVar(&s.gpus, "gpus", "", "GPUs of each pod")
	f.StringVar(&s.cpus, "cpus", "", "CPUs of each pod, such as 32 or 500m")
	f.StringVar(&s.memory, "memory", "", "memory of each pod, such as 256Gi")
	f.StringVar(&s.queue, "queue", "", "queue of Kueue")
	f.StringArrayVar(&s.env, "env", nil, "environment variable as NAME=VALUE")
}

// takeCommand keeps the arguments after --, which are the command of the job.
func (s *jobSource) takeCommand(cmd *cobra.Command, args []string) error {
	at := cmd.ArgsLenAtDash()
	if at < 0 && len(args) > 0 || at > 0 {
		return fmt.Errorf("%q is no flag; name a file with -f, and write the command of the job after -- (see `vedette submit --help`)", args[0])
	}
	s.command = args
	return nil
}

// short returns the parameters that have a flag of their own, in the form of --set.
func (s *jobSource) short() (sets []string) {
	for _, p := range []struct{ name, value string }{
		{"name", s.name}, {"image", s.image}, {"gpus", s.gpus}, {"cpus", s.cpus}, {"memory", s.memory}, {"queue", s.queue},
	} {
		if p.value != "" {
			sets = append(sets, p.name+"="+p.value)
		}
	}
	return sets
}

// checkSource returns an error if the flags name no job, or two.
func (s *jobSource) checkSource() error {
	made := s.template != "" || s.image != "" || s.gpus != "" || s.cpus != "" || s.memory != "" || s.queue != "" || len(s.env) > 0 || len(s.command) > 0
	switch {
	case len(s.files) > 0 && made:
		return errors.New("-f has the whole job; --template, --image, --gpus, --cpus, --memory, --queue, --env and a command are for jobs without a file. Change a field with --set, such as --set spec.parallelism=4")
	case len(s.files) == 0 && !made:
		return errors.New("name the job: a file with -f, or an image with --image (see `vedette submit --help`)")
	}
	return nil
}

// read returns the jobs that the flags name.
func (s *jobSource) read(ctx context.Context, con *console.Console) ([]sourced, error) {
	if len(s.files) == 0 {
		job, err := s.render(ctx, con)
		if err != nil {
			return nil, err
		}
		return []sourced{job}, nil
	}
	var jobs []sourced
	var errs []error
	for _, path := range s.files {
		all, err := s.parse(ctx, path)
		if err != nil {
			errs = append(errs, err)
		}
		for _, m := range all {
			jobs = append(jobs, sourced{manifest: m})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return jobs, s.change(jobs)
}

// change applies --set and --name to the job of a file.
func (s *jobSource) change(jobs []sourced) error {
	if (len(s.sets) > 0 || s.name != "") && len(jobs) > 1 {
		return fmt.Errorf("--set and --name change one job, and the files have %d", len(jobs))
	}
	for _, set := range s.sets {
		path, value, ok := strings.Cut(set, "=")
		if !ok {
			return fmt.Errorf("--set %s must be PATH=VALUE, such as spec.parallelism=4", set)
		}
		if err := jobs[0].manifest.Set(path, value); err != nil {
			return err
		}
	}
	if s.name != "" {
		jobs[0].manifest.Object.SetName(s.name)
	}
	return nil
}

// parse reads a file.
func (s *jobSource) parse(ctx context.Context, path string) ([]*manifest.Manifest, error) {
	from, source := s.stdin, "standard input"
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from, source = file, path
	}
	text, err := io.ReadAll(io.LimitReader(from, maxInput))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return manifest.Parse(ctx, source, text)
}

// render makes a job from a template.
func (s *jobSource) render(ctx context.Context, con *console.Console) (sourced, error) {
	name := s.template
	if name == "" {
		name = template.Default
	}
	set, unread, err := s.templates.gather(ctx, con)
	if err != nil {
		return sourced{}, err
	}
	t, err := set.Get(name)
	if unread != nil && (err != nil || !apierrors.IsForbidden(unread)) { // most users may not read them, and need not
		con.Say("note: %s", explain.Line(unread))
	}
	if err != nil {
		return sourced{}, err
	}
	if replaced := set.Replaced(name); len(replaced) > 0 {
		con.Say("note: the template %s comes from %s, and replaces %s (%s)", name, t.Source, name, strings.Join(replaced, ", "))
	}
	sets := append(s.short(), s.sets...)
	for _, e := range s.env {
		if key, _, ok := strings.Cut(e, "="); !ok || key == "" {
			return sourced{}, fmt.Errorf("--env %s must be NAME=VALUE", e)
		}
		sets = append(sets, "env="+e)
	}
	values, err := t.Values(sets)
	if err != nil {
		return sourced{}, err
	}
	if len(s.command) > 0 {
		values["command"] = s.command
	}
	m, err := t.Render(values)
	return sourced{manifest: m, template: t.Name}, err
}
