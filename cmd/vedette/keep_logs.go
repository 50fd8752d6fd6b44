package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// keepLogsFlags select the pods whose logs are kept.
type keepLogsFlags struct {
	keep, tail, redact []string
	lines              int
	ofJob              string
}

// defaultLogLines is the default number of lines to keep of each log.
const defaultLogLines = 500

func (o *keepLogsFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.keep, "keep-logs", nil, "keep the last lines of a log when its container ends; for types of jobs and namespaces, such as jobs,pytorchjobs.kubeflow.org,namespace=ml (default: none)")
	f.StringSliceVar(&o.tail, "tail-logs", nil, "also keep them while the container runs, in case the node is lost; takes the same values as --keep-logs (default: none)")
	f.IntVar(&o.lines, "log-lines", defaultLogLines, "maximum number of last lines to keep of each log")
	f.StringArrayVar(&o.redact, "redact-logs", nil, "regular expression of text to redact in kept logs, in addition to well-known secrets; can be repeated")
	f.StringVar(&o.ofJob, "max-job-logs", "", "maximum compressed size of the kept logs of a job, such as 200MiB; above it the oldest logs lose their text (default: 64MiB)")
}

// used reports whether the recorder keeps any logs.
func (o *keepLogsFlags) used() bool { return len(o.keep)+len(o.tail) > 0 }

// logSettings are the settings of kept logs.
type logSettings struct {
	keep, tail []string
	limits     joblog.Limits
	redact     *joblog.Redactor
}

// settings parses the settings.
//
// Errors: all mistakes, each with the origin of its setting.
func (o *keepLogsFlags) settings(from *settings.Settings) (s logSettings, err error) {
	s = logSettings{keep: o.keep, tail: o.tail, limits: joblog.Limits{Lines: o.lines}}
	var mistakes []error
	complain := func(name string, err error) {
		if err == nil {
			return
		}
		for _, err := range explain.Flatten(err) {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", from.Origin(name), err))
		}
	}
	_, err = logkeeper.ParseSelection(o.keep)
	complain("keep-logs", err)
	_, err = logkeeper.ParseSelection(o.tail)
	complain("tail-logs", err)
	if s.redact, err = joblog.NewRedactor(o.redact); err != nil {
		complain("redact-logs", err)
	}
	if o.ofJob != "" {
		s.limits.PerJob, err = units.ParseSize(o.ofJob)
		complain("max-job-logs", err)
	}
	if o.lines < 1 {
		complain("log-lines", fmt.Errorf("%d is not a valid number of lines: want 1 or more", o.lines))
	} else {
		complain("log-lines", s.limits.Check())
	}
	if !o.used() && from.Origin("redact-logs") != "default" {
		complain("redact-logs", errors.New("no logs are kept: name types or namespaces with --keep-logs"))
	}
	return s, errors.Join(mistakes...)
}

// followed returns the words that select types, and the namespaces that are selected.
func (s *logSettings) followed() (types, namespaces []string) {
	for _, word := range slices.Concat(s.keep, s.tail) {
		if namespace, ok := strings.CutPrefix(word, "namespace="); ok {
			namespaces = append(namespaces, namespace)
		} else if !slices.Contains(types, word) {
			types = append(types, word)
		}
	}
	return types, namespaces
}

// newKeeper returns a keeper of the logs of a cluster.
func (s *logSettings) newKeeper(d *sqldb.DB, cfg logkeeper.Config) (*logkeeper.Keeper, error) {
	cfg.Store, cfg.Lines = joblog.New(d, s.limits, s.redact), s.limits.Lines
	// The kinds of types may differ between clusters, so each keeper has its own selections.
	var err, tailErr error
	cfg.Keep, err = logkeeper.ParseSelection(s.keep)
	cfg.Tail, tailErr = logkeeper.ParseSelection(s.tail)
	if err := errors.Join(err, tailErr); err != nil {
		return nil, err
	}
	return logkeeper.New(cfg)
}

// runKeepers runs keepers until ctx is done. wait joins them.
func runKeepers(ctx context.Context, keepers []*logkeeper.Keeper) (wait func()) {
	var work sync.WaitGroup
	for _, k := range keepers {
		work.Go(func() { _ = k.Run(ctx) }) // fails only if it is called twice
	}
	return work.Wait
}

// String describes the logs that are kept.
func (s *logSettings) String() string {
	text := fmt.Sprintf("the last %d lines of containers that end, of %s", s.limits.Lines, strings.Join(slices.Concat(s.keep, s.tail), ", "))
	if len(s.tail) > 0 {
		text += "; lines of running containers, of " + strings.Join(s.tail, ", ")
	}
	return text
}
