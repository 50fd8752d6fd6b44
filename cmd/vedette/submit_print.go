package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"

	"github.com/vedette-io/vedette/platform/submit"
)

// print writes the submitted jobs in the format of the flags.
func (o *submitOptions) print(next commandFor, results []submit.Result, con *console.Console) error {
	for i, r := range results {
		var err error
		switch o.output {
		case "name":
			err = con.Print(printable.Line(source.NameOfJob(r.Job())) + "\n")
		case "json":
			var text string
			if text, err = indentJSON(r.Object.Object); err == nil {
				err = con.Document(text)
			}
		case "yaml":
			var text string
			if text, err = objectyaml.Marshal(r.Object.Object); err == nil && i > 0 {
				text = "---\n" + text
			}
			if err == nil {
				err = con.Document(text)
			}
		default:
			err = con.Print(printable.Sprintf("%s\n", o.line(next, r)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func indentJSON(document any) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "    ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(document)
	return text.String(), err
}

// commandFor returns a command for a job, with the flags that it needs.
type commandFor func(verb string, job submit.Job) string

// nextIn returns the commands about jobs of a cluster.
func (o *submitOptions) nextIn(cluster *kube.Cluster) commandFor {
	return func(verb string, job submit.Job) string { return o.command(verb, cluster, job) }
}

// line describes the created job, and suggests the next commands.
func (o *submitOptions) line(next commandFor, r submit.Result) string {
	j := r.Job()
	switch {
	case r.Created:
		text := fmt.Sprintf("%s submitted to namespace %s", j, j.Namespace)
		if o.hold {
			text += ", on hold"
		}
		if o.wait || o.follow || !isWorkload(r.Resource) {
			return text
		}
		if o.hold {
			return fmt.Sprintf("%s; next: `%s`, `%s`", text, next("release", j), next("cancel", j))
		}
		return fmt.Sprintf("%s; next: `%s -f`, `%s`", text, next("logs", j), next("cancel", j))
	case r.Before:
		return fmt.Sprintf("%s was submitted to namespace %s already, with this key, %s ago, and is %s",
			j, j.Namespace, units.Duration(max(time.Since(r.Object.GetCreationTimestamp().Time), time.Second).Round(time.Second)), stateText(job.ReadStatus(r.Object.Object)))
	}
	return fmt.Sprintf("%s would be created in namespace %s (dry run): %s", j, j.Namespace, summary(r.Object.Object))
}

func isWorkload(r kube.Resource) bool {
	for _, name := range job.Types() {
		if r.String() == name {
			return true
		}
	}
	return false
}

// stateText returns a state for a sentence.
func stateText(s job.Status) string {
	if s.String() == "" {
		return "without a state"
	}
	return s.String()
}

// command returns a command for a job, with the flags that it needs.
func (o *submitOptions) command(verb string, cluster *kube.Cluster, job submit.Job) string {
	text := "vedette " + verb + " " + job.String()
	if o.templates.connect.Kubeconfig != "" {
		text += " --kubeconfig " + o.templates.connect.Kubeconfig
	}
	if o.templates.connect.Context != "" {
		text += " --context " + o.templates.connect.Context
	}
	if o.namespace != "" || job.Namespace != cluster.Namespace() {
		text += " -n " + job.Namespace
	}
	return text
}

// summary describes the resources that a job requests.
func summary(object map[string]any) string {
	spec := job.ReadSpec(object)
	parts := []string{units.Count(max(spec.Pods, 1), "pod")}
	if spec.GPUs > 0 {
		parts = append(parts, units.Count(spec.GPUs, "GPU"))
	}
	if spec.Image != "" {
		parts = append(parts, "image "+spec.Image)
	}
	if spec.Queue != "" {
		parts = append(parts, "queue "+spec.Queue)
	}
	return strings.Join(parts, ", ")
}
