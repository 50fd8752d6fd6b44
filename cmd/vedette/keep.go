package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// keepOptions are the settings of what stays of the history.
type keepOptions struct {
	keep, bodies, size string
	states             []string
	last               int
}

func (o *keepOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.keep, "keep", "", "how long revisions and transitions stay, such as 90d; deleted objects go with their last (default: for ever)")
	f.StringSliceVar(&o.states, "keep-state", nil, "the same for objects that ended in a state, such as Failed=180d,Succeeded=30d")
	f.StringVar(&o.bodies, "keep-bodies", "", "how long the contents of revisions stay, such as 7d; their states and times stay as --keep says (default: as long as they)")
	f.IntVar(&o.last, "keep-last", 1, "how many revisions of each object that is there stay, with their contents, whatever their age")
	f.StringVar(&o.size, "max-size", "", "how large the database may become, such as 20GiB; then the oldest goes (default: unlimited)")
}

// retention reads the settings.
//
// Errors: all mistakes, each with where its setting comes from.
func (o *keepOptions) retention(from *settled) (r record.Retention, err error) {
	var mistakes []error
	complain := func(name string, err error) {
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", from.origin(name), err))
		}
	}
	age := func(name, text string) (d time.Duration) {
		if text != "" {
			d, err = parseAge(text)
			complain(name, err)
		}
		return d
	}
	r.Keep, r.KeepBodies = age("keep", o.keep), age("keep-bodies", o.bodies)
	for _, text := range o.states {
		name, value, _ := strings.Cut(text, "=")
		s := state.State(name)
		if !slices.Contains(endings, s) {
			complain("keep-state", fmt.Errorf("%q: want a state and an age, such as Failed=180d; states are %s", text, joined(endings)))
			continue
		}
		if r.PerState == nil {
			r.PerState = map[state.State]time.Duration{}
		}
		r.PerState[s] = age("keep-state", value)
		if value == "" {
			complain("keep-state", fmt.Errorf("%q: the age is missing, as in %s=180d", text, name))
		}
	}
	if r.KeepLast = o.last; o.last < 1 {
		complain("keep-last", fmt.Errorf("%d is no number of revisions: want 1 or more; the last stays always", o.last))
	}
	if o.size != "" {
		r.MaxBytes, err = parseSize(o.size)
		complain("max-size", err)
	}
	return r, errors.Join(mistakes...)
}

// endings are the states that objects have when they are kept for some time; most end
// in one of the first three.
var endings = []state.State{
	state.Succeeded, state.Failed, state.Aborted, state.Running, state.Queued, state.Submitted, state.Starting, state.Restarting, state.Suspended,
}

func joined(states []state.State) string {
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

// parseAge reads 90d, 2w, 36h, or forever.
func parseAge(text string) (time.Duration, error) {
	if text == "forever" {
		return record.Forever, nil
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
		return 0, fmt.Errorf("%q is no age: want such as 90d, 2w, 36h or forever", text)
	}
	return d, nil
}

// sizes are units; those with an i are powers of 1024.
var sizes = []struct {
	unit  string
	bytes float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}

// parseSize reads 20GiB, 500MB, or a number of bytes.
func parseSize(text string) (int64, error) {
	number, factor := text, 1.0
	for _, s := range sizes {
		if n, found := strings.CutSuffix(text, s.unit); found {
			number, factor = n, s.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if bytes := n * factor; err == nil && bytes >= 1 && bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("%q is no size: want such as 20GiB, 500MB or a number of bytes", text)
}

// bytesOf shows a number of bytes.
func bytesOf(n int64) string {
	for _, s := range sizes[:4] {
		if float64(n) >= s.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/s.bytes, s.unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// sizeOf says how large a database is, and how large it may be.
func sizeOf(s sqldb.Size, most int64) string {
	text := bytesOf(s.Used)
	if s.Files > s.Used+s.Used/10 {
		text += " of history, in files of " + bytesOf(s.Files)
	}
	if most > 0 {
		return text + "; " + bytesOf(most) + " are allowed"
	}
	return text
}

// retain shortens the history until ctx is done, if it is to be, and returns what
// joins that.
func retain(ctx context.Context, d *record.Database, r record.Retention, log *slog.Logger, con *console) (wait func(), err error) {
	size, err := d.Size(ctx)
	if err != nil {
		return nil, err
	}
	con.say("%s has %s", d, sizeOf(size, r.MaxBytes))
	if r.Unlimited() {
		return func() {}, nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.Retain(ctx, r, log); err != nil {
			log.Error("the history is not shortened", "err", err)
		}
	}()
	return func() { <-done }, nil
}
