package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// retentionFlags are the flags of retention.
type retentionFlags struct {
	keep, bodies, size, feed string
	logs, maxLogs            string
	states, rules            []string
	last                     int
}

func (o *retentionFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.keep, "keep", "", "how long revisions and transitions are kept, such as 90d; a deleted object is removed with its last revision (default: forever)")
	f.StringSliceVar(&o.states, "keep-state", nil, "the same for objects in a state, such as Failed=180d,Succeeded=30d; a deleted object counts by its state before")
	f.StringArrayVar(&o.rules, "keep-rule", nil, `the same for objects with properties, such as "namespace=prod-*; labels=audit; state=Failed: 400d"; can be repeated, and the first rule that selects an object counts`)
	f.StringVar(&o.bodies, "keep-bodies", "", "how long the bodies of revisions are kept, such as 7d; states and times are kept as long as --keep says (default: as long as the revisions)")
	f.IntVar(&o.last, "keep-last", 1, "how many revisions of each present object are kept, with their bodies, regardless of age")
	f.StringVar(&o.size, "max-size", "", "the largest size of the database, such as 20GiB; beyond it the oldest revisions are removed (default: unlimited)")
	f.StringVar(&o.feed, "keep-feed", "", "how long readers of the feed can continue from a position; what a cursor in use has not read stays longer (default: 7d)")
	f.StringVar(&o.logs, "keep-logs-for", "", "how long kept logs stay after their last line came, such as 14d; they go earlier with the history of their job (default: 30d for recorders)")
	f.StringVar(&o.maxLogs, "max-logs", "", "how much kept logs take at most, compressed, such as 10GiB; beyond it the oldest lose their text (default: 4GiB for recorders)")
}

// policy parses the settings.
//
// Errors: all mistakes, each with the origin of its setting.
func (o *retentionFlags) policy(from *settings.Settings) (p retention.Policy, err error) {
	var mistakes []error
	complain := func(name string, err error) {
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", from.Origin(name), err))
		}
	}
	age := func(name, text string) (d time.Duration) {
		if text != "" {
			d, err = parseAge(text)
			complain(name, err)
		}
		return d
	}
	p.Keep, p.KeepBodies, p.KeepFeed = age("keep", o.keep), age("keep-bodies", o.bodies), age("keep-feed", o.feed)
	p.KeepLogs = age("keep-logs-for", o.logs)
	for _, text := range o.rules {
		r, err := parseKeepRule(text)
		complain("keep-rule", err)
		p.Rules = append(p.Rules, r)
	}
	for _, text := range o.states {
		name, value, _ := strings.Cut(text, "=")
		s, err := job.ParseState(name)
		if err != nil || !slices.Contains(retainedStates, s) {
			complain("keep-state", fmt.Errorf("%q: want a state and an age, such as Failed=180d; the states are %s", text, job.JoinStates(retainedStates, ", ")))
			continue
		}
		p.Rules = append(p.Rules, retention.Rule{States: []job.State{s}, Keep: age("keep-state", value)})
		if value == "" {
			complain("keep-state", fmt.Errorf("%q: the age is missing, as in %s=180d", text, name))
		}
	}
	if p.KeepLast = o.last; o.last < 1 {
		complain("keep-last", fmt.Errorf("%d is not a valid number of revisions: want 1 or more", o.last))
	}
	if o.size != "" {
		p.MaxBytes, err = units.ParseSize(o.size)
		complain("max-size", err)
	}
	if o.maxLogs != "" {
		p.MaxLogBytes, err = units.ParseSize(o.maxLogs)
		complain("max-logs", err)
	}
	return p, errors.Join(mistakes...)
}

// retainedStates are the states that --keep-state takes. Most objects end in one of the
// first three.
var retainedStates = []job.State{
	job.Succeeded, job.Failed, job.Aborted, job.Running, job.Queued, job.Submitted, job.Starting, job.Restarting, job.Suspended,
}

// parseKeepRule parses a value of --keep-rule: properties, separated by semicolons, and an age after
// the last colon.
func parseKeepRule(text string) (r retention.Rule, err error) {
	i := strings.LastIndex(text, ":")
	if i < 0 {
		return r, fmt.Errorf(`%q: the age is missing, as in "namespace=prod-*: 400d"`, text)
	}
	if r.Keep, err = parseAge(strings.TrimSpace(text[i+1:])); err != nil {
		return r, fmt.Errorf("%q: %w", text, err)
	}
	for property := range strings.SplitSeq(text[:i], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(property), "=")
		if value = strings.TrimSpace(value); value == "" {
			return r, fmt.Errorf(`%q: %q is not a property with a value, such as namespace=prod-*`, text, property)
		}
		switch strings.TrimSpace(name) {
		case "namespace":
			for one := range strings.SplitSeq(value, ",") {
				r.Namespaces = append(r.Namespaces, glob.Pattern(strings.TrimSpace(one)))
			}
		case "labels":
			if r.Labels, err = labels.Parse(value); err != nil {
				return r, fmt.Errorf("%q: %w; use the syntax of kubectl -l", text, err)
			}
		case "state":
			for one := range strings.SplitSeq(value, ",") {
				s, err := job.ParseState(one)
				if err != nil || !slices.Contains(retainedStates, s) {
					return r, fmt.Errorf("%q: no state is called %q; the states are %s", text, strings.TrimSpace(one), job.JoinStates(retainedStates, ", "))
				}
				r.States = append(r.States, s)
			}
		default:
			return r, fmt.Errorf("%q: no property is called %q; the properties are namespace, labels and state", text, name)
		}
	}
	return r, nil
}

// parseAge parses 90d, 2w, 36h or forever.
func parseAge(text string) (time.Duration, error) {
	if text == "forever" {
		return retention.Forever, nil
	}
	units := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	for unit, d := range units {
		if number, found := strings.CutSuffix(text, unit); found {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !(n > 0) || n > 36_500 {
				break
			}
			return time.Duration(n * float64(d)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not an age: want 90d, 2w, 36h or forever, for example", text)
	}
	return d, nil
}

// sizeOf describes the size of a database, and its limit if there is one.
func sizeOf(s sqldb.Size, limit int64) string {
	text := units.Size(s.Used)
	if s.Files > s.Used+s.Used/10 {
		text += " of history, in files of " + units.Size(s.Files)
	}
	if s.Logs > 0 {
		text += ", of which kept logs take " + units.Size(s.Logs)
	}
	switch {
	case limit > 0 && s.Logs > 0:
		return text + "; the limit without them is " + units.Size(limit)
	case limit > 0:
		return text + "; the limit is " + units.Size(limit)
	}
	return text
}

// keepLogsFor is the default time for which recorders keep logs.
const keepLogsFor = 30 * 24 * time.Hour

// retain starts to apply a policy until ctx is done. A policy that keeps the whole history
// still shortens the feed, and removes old logs. wait joins the goroutine.
func retain(ctx context.Context, d *sqldb.DB, p retention.Policy, log *slog.Logger, con *console.Console) (wait func(), err error) {
	size, err := d.Size(ctx)
	if err != nil {
		return nil, err
	}
	con.Say("%s has %s", d, sizeOf(size, p.MaxBytes))
	p.KeepLogs = cmp.Or(p.KeepLogs, keepLogsFor)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := retention.Run(ctx, d, p, log); err != nil {
			log.Error("history is not pruned", "err", err)
		}
	}()
	return func() { <-done }, nil
}
