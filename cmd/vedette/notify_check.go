package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/ruletext"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

func newNotifyCheck() *cobra.Command {
	var o notifyFlags
	var without bool
	var from *settings.Settings
	cmd := &cobra.Command{
		Use:     "check [FILE]",
		Aliases: []string{"rules"},
		Short:   "Check the file of notifications, and show its channels, people and rules",
		Long: "All mistakes are reported at once, with their lines. No secret is shown, and nothing is sent: `vedette notify test` sends\n" +
			"a message, and `vedette doctor` asks the channels whether they answer.",
		Example: "  vedette notify check notify.yaml\n\n" +
			"  # Where the secrets are not, such as before a commit\n" +
			"  vedette notify check notify.yaml --without-secrets",
		Args: oneAtMost("name one file, or use --notify"),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if len(args) == 1 {
				o.path = args[0]
			}
			clusters := preflight.ClustersOf(from)
			defer preflight.CloseAll(clusters)
			c, err := o.load(con, preflight.WithClusters(config.Options{WithoutSecrets: without}, clusters))
			if err != nil {
				return err
			}
			if err := con.Print(describeFile(c)); err != nil {
				return err
			}
			for _, note := range logNotes(c, from.Has("keep-logs"), from.Has("tail-logs")) {
				con.Say("%s", note)
			}
			return nil
		},
	}
	o.addFlags(cmd)
	from = settings.AddConfig(cmd)
	cmd.Flags().BoolVar(&without, "without-secrets", false, "do not read the secrets, and do not check what depends on them")
	return cmd
}

// describeFile returns the tables of a file.
func describeFile(c *config.Config) string {
	channels := [][]string{{"CHANNEL", "TYPE", "SENDS", "JOBS MAY NAME IT", "GETS LOGS", "AT"}}
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		ch := c.Channels[name]
		sends := "by kind and rule"
		if ch.Digest != nil {
			sends = "digests every " + units.ShortDuration(ch.Digest.Every)
		}
		channels = append(channels, []string{name, ch.Kind, sends, ch.NamedByJobs.String(), yesNo(ch.Private), ch.At})
	}
	people := [][]string{{"PERSON", "TOLD BY", "ALSO", "LANGUAGE"}}
	for _, name := range slices.Sorted(maps.Keys(c.People)) {
		p := c.People[name]
		told := "nothing: no channel has an address"
		if r, _ := c.Receivers([]rule.Target{{Kind: rule.Person, Person: name}}, nil, config.Named{}); len(r) > 0 {
			told = r[0].Channel
		}
		people = append(people, []string{name, told, cmp.Or(strings.Join(p.Also, ", "), "-"), cmp.Or(p.Language, c.Language)})
	}
	rules := [][]string{{"RULE", "OF", "TELLS WHEN IT", "TO", "SENT", "AT"}}
	for _, r := range c.Rules.Rules() {
		rules = append(rules, []string{r.Name, ruletext.Selection(r), ruletext.Trigger(r), ruletext.Receivers(r), ruletext.Delivery(r), r.At})
	}
	var parts []string
	for _, t := range [][][]string{channels, people, rules} {
		if len(t) > 1 {
			parts = append(parts, table.Lay(t...))
		}
	}
	return strings.Join(parts, "\n")
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// logNotes lists the rules that need kept logs, unless a recorder with these settings keeps them.
func logNotes(c *config.Config, kept, tailed bool) (notes []string) {
	var shown, awaited []string
	for _, r := range c.Rules.Rules() {
		if r.Log {
			shown = append(shown, fmt.Sprintf("%q", r.Name))
		}
		if r.Timer != nil && slices.ContainsFunc(r.Timer.Signals, func(s rule.Signal) bool { return s.Kind == rule.Log }) {
			awaited = append(awaited, fmt.Sprintf("%q", r.Name))
		}
	}
	if len(shown) > 0 && !kept && !tailed {
		notes = append(notes, "messages have lines of logs only of jobs whose logs are kept: see --keep-logs of `vedette record`; rules with log: "+strings.Join(shown, ", "))
	}
	if len(awaited) > 0 && !tailed {
		notes = append(notes, "lines of logs count as progress only for jobs whose logs are kept while they run: see --tail-logs of `vedette record`; rules with the signal log: "+strings.Join(awaited, ", "))
	}
	return notes
}
