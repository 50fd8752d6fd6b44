package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/config"
)

// notifyPreviewOptions are the flags of notify preview.
type notifyPreviewOptions struct {
	db           string
	notify       notifyFlags
	since, until string
	output       listing.Flags
}

func newNotifyPreview() *cobra.Command {
	var o notifyPreviewOptions
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show the messages that the rules would have sent",
		Long: "The rules are applied to the history, as if a notifier had run. Nothing is sent, and no secret is read. Mutes and\n" +
			"escalations do not count, and neither do timers that read the content of objects.\n\n" +
			"Fields of json, yaml, csv and ndjson: rule, channel, address, person, role, messages, collected (into digests), digests,\n" +
			"samples.",
		Example: "  vedette notify preview --since 24h --notify notify.yaml --db sqlite:history.db\n\n" +
			"  # Which rule would have sent most last week\n" +
			"  vedette notify preview --since 7d -o json | jq '.items | max_by(.messages)'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	o.notify.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "24h", "from this time on: 2h, 3d (ago), 15:04, 2026-03-01")
	f.StringVar(&o.until, "until", "", "before this time (default: now)")
	o.output.AddFlags(cmd)
	return cmd
}

// texts are texts in one cell of CSV.
type texts []string

// String joins the texts.
func (t texts) String() string { return strings.Join(t, "; ") }

// forecastDoc is the machine-readable form of the messages from one rule to one receiver.
type forecastDoc struct {
	Rule      string `json:"rule"`
	Channel   string `json:"channel"`
	Address   string `json:"address"`
	Person    string `json:"person"`
	Role      string `json:"role"`
	Messages  int    `json:"messages"`
	Collected int    `json:"collected"`
	Digests   int    `json:"digests"`
	Samples   texts  `json:"samples"`
}

// forecastColumns are the columns of a preview.
var forecastColumns = listing.Columns{Always: []string{"RULE", "TO", "AT ONCE", "IN DIGESTS", "SUCH AS"}, Wide: []string{"ROLE", "ADDRESS", "AND"}}

func (o *notifyPreviewOptions) run(ctx context.Context, con *console.Console) error {
	lp, err := listing.NewPrinter(con, o.output, forecastColumns)
	if err != nil {
		return err
	}
	now := time.Now()
	since, err := units.ParseTime(o.since, now)
	if err != nil {
		return err
	}
	until, err := units.ParseTime(o.until, now)
	if err != nil {
		return err
	}
	if until.IsZero() {
		until = now
	}
	file, err := o.notify.load(con, config.Options{WithoutSecrets: true})
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := notify.Preview(ctx, d, file, since, until, func(n int) { con.Progress("%s …", units.Count(n, "transition")) })
	con.Clear()
	if err != nil {
		return err
	}
	for i := range f.Receivers {
		if err := lp.Add(forecastLine(&f.Receivers[i])); err != nil {
			return err
		}
	}
	if err := lp.End(); err != nil {
		return err
	}
	sayForecast(f, file, con)
	return nil
}

func forecastLine(r *notify.ForecastReceiver) listing.Item {
	var samples texts
	for _, s := range r.Samples {
		text := fmt.Sprintf("%s %s %s", units.Local(s.At)[:len("2006-01-02 15:04:05")], s.Kind, strings.TrimPrefix(s.Namespace+"/"+s.Name, "/"))
		if s.Reason != "" {
			text += " (" + s.Reason + ")"
		}
		samples = append(samples, text)
	}
	to := r.Channel
	switch {
	case r.Person != "":
		to = r.Person + " by " + r.Channel
	case r.Address != "":
		to += ":" + r.Address
	}
	digests := "-"
	if r.Collected > 0 {
		digests = fmt.Sprintf("%d in %s", r.Collected, units.Count(r.Digests, "digest"))
	}
	first, rest := "", texts(nil)
	if len(samples) > 0 {
		first, rest = samples[0], samples[1:]
	}
	return listing.Item{
		Cells: []string{r.Rule, to, fmt.Sprint(r.Messages), digests, first, r.Role, cmp.Or(r.Address, "-"), rest.String()},
		Name:  "rule/" + r.Rule,
		Doc:   forecastDoc{r.Rule, r.Channel, r.Address, r.Person, r.Role, r.Messages, r.Collected, r.Digests, samples},
	}
}

// sayForecast prints the number of messages, and the limits of the forecast.
func sayForecast(f *notify.Forecast, file *config.Config, con *console.Console) {
	messages, digests := 0, 0
	silent := map[string]bool{}
	for _, r := range file.Rules.Rules() {
		silent[r.Name] = !slices.Contains(f.Skipped, r.Name)
	}
	for _, r := range f.Receivers {
		messages, digests = messages+r.Messages, digests+r.Digests
		silent[r.Rule] = false
	}
	con.Say("%s since %s: %s and %s", units.Count(f.Transitions, "transition"), units.Local(f.Since), units.Count(messages, "message"), units.Count(digests, "digest"))
	maps.DeleteFunc(silent, func(_ string, is bool) bool { return !is })
	if len(silent) > 0 {
		con.Say("nothing from: %s", strings.Join(slices.Sorted(maps.Keys(silent)), ", "))
	}
	if len(f.Skipped) > 0 {
		con.Say("not covered, because they read the content of objects: %s", strings.Join(f.Skipped, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(f.Unknown)) {
		con.Say("%s is not in the table of people: %s", name, units.Count(f.Unknown[name], "message"))
	}
	if f.RuleErrors > 0 {
		con.Say("conditions could not be evaluated %s; the log of the notifier says which", units.Count(f.RuleErrors, "time"))
	}
}
