package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func newSilence() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "silence",
		Aliases: []string{"silences"},
		Short:   "Hold back messages for a while, and send one summary at the end",
		Long: "A silence holds back the messages to all receivers that its matchers select. At its end, each receiver gets one summary of\n" +
			"the messages that were held back. To get fewer messages yourself, mute a job or a subscription.",
		Example: "  vedette notify silence add --matcher node=gpu-17 --for 2h --comment \"a new GPU\" --db sqlite:history.db\n" +
			"  vedette notify silence ls\n  vedette notify silence show 7\n  vedette notify silence expire 7",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSilenceAdd(), newSilenceList(), newSilenceShow(), newSilenceExpire())
	return cmd
}

// silenceAddOptions are the flags of notify silence add.
type silenceAddOptions struct {
	db           string
	matchers     []string
	start, lasts string
	comment      string
	by           operatorFlags
}

func newSilenceAdd() *cobra.Command {
	var o silenceAddOptions
	cmd := &cobra.Command{
		Use:   "add --matcher FIELD=VALUE --for TIME --comment TEXT",
		Short: "Hold back the messages that matchers select",
		Long: "All matchers must match. In a value, * matches any text and ? one character; != selects the other values. The value of labels\n" +
			"is a selector as for kubectl -l. The fields are " + strings.Join(rule.MatcherFields(), ", ") + ";\n" +
			"they are those of the conditions of rules. The node is that of the pod that ended first, so only messages about failures,\n" +
			"restarts and aborted jobs have one. Messages that were planned before the silence began are sent.",
		Example: "  vedette notify silence add --matcher node=gpu-17 --for 2h --comment \"a new GPU\" --db sqlite:history.db\n\n" +
			"  # The jobs of a team in one cluster, tonight\n" +
			"  vedette notify silence add --matcher cluster=gpu-west --matcher \"labels=team in (ml, llm)\" --start 22:00 --for 8h --comment maintenance",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringArrayVar(&o.matchers, "matcher", nil, "FIELD=VALUE or FIELD!=VALUE, such as node=gpu-17; may be repeated, and all must match")
	f.StringVar(&o.start, "start", "", "when it begins: 15:04, 2026-03-01T15:04:05Z (default: now)")
	f.StringVar(&o.lasts, "for", "", "how long it lasts, such as 2h or 3d, 30d at most")
	f.StringVar(&o.comment, "comment", "", "why, for the people who miss the messages")
	o.by.addFlags(cmd)
	return cmd
}

func (o *silenceAddOptions) run(ctx context.Context, con *console.Console) error {
	if len(o.matchers) == 0 || o.lasts == "" || o.comment == "" {
		return errors.New("a silence needs --matcher, --for and --comment, such as --matcher node=gpu-17 --for 2h --comment \"a new GPU\"")
	}
	if _, err := rule.ParseMatchers(o.matchers); err != nil {
		return fmt.Errorf("--matcher: %w", err)
	}
	now := time.Now()
	start, err := units.ParseTime(o.start, now)
	if err != nil {
		return fmt.Errorf("--start: %w", err)
	}
	if o.start != "" && start.Before(now) {
		return fmt.Errorf("--start %s has passed: leave it out to begin now", o.start)
	}
	lasts, err := parseAge(o.lasts)
	if err != nil || lasts > delivery.LongestSilence {
		return fmt.Errorf("--for is %q: want 2h or 3d, for example, and 30d at most", o.lasts)
	}
	s := delivery.Silence{Matchers: o.matchers, Comment: o.comment, CreatedBy: o.by.name(), StartsAt: start}
	s.EndsAt = now.Add(lasts)
	if !start.IsZero() {
		s.EndsAt = start.Add(lasts)
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	id, err := delivery.AddSilence(ctx, d, s)
	if err != nil {
		return d.Explain(err)
	}
	con.Say("silence %d holds back messages until %s", id, units.Local(s.EndsAt))
	return nil
}

// silenceDoc is the machine-readable form of a silence.
type silenceDoc struct {
	ID        int64    `json:"id"`
	State     string   `json:"state"`
	Matchers  []string `json:"matchers"`
	Comment   string   `json:"comment"`
	CreatedBy string   `json:"createdBy"`
	StartsAt  string   `json:"startsAt"`
	EndsAt    string   `json:"endsAt"`
	ExpiredBy string   `json:"expiredBy"`
	HeldBack  int      `json:"heldBack"`
}

// newSilenceDoc returns the machine-readable form of a silence that has held back messages.
func newSilenceDoc(s *delivery.Silence, heldBack int, now time.Time) silenceDoc {
	state := "active"
	switch {
	case now.Before(s.StartsAt):
		state = "pending"
	case s.ExpiredBy != "" || !s.Active(now):
		state = "expired"
	}
	return silenceDoc{s.ID, state, s.Matchers, s.Comment, s.CreatedBy, units.Timestamp(s.StartsAt), units.Timestamp(s.EndsAt), s.ExpiredBy, heldBack}
}

// silenceColumns are the columns of the list of silences.
var silenceColumns = listing.Columns{Always: []string{"ID", "STATE", "MATCHERS", "END", "HELD BACK", "BY", "COMMENT"}, Wide: []string{"START", "EXPIRED BY"}}

func newSilenceList() *cobra.Command {
	var db string
	var all bool
	var output listing.Flags
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List silences",
		Long:    "Fields of json, yaml, csv and ndjson: id, state, matchers, comment, createdBy, startsAt, endsAt, expiredBy, heldBack.",
		Example: "  vedette notify silence ls --db sqlite:history.db\n\n  # Expired ones too\n  vedette notify silence ls -A",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listSilences(cmd.Context(), db, all, output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	cmd.Flags().BoolVarP(&all, "all", "A", false, "list expired silences too")
	output.AddFlags(cmd)
	return cmd
}

func listSilences(ctx context.Context, db string, expired bool, output listing.Flags, con *console.Console) error {
	lp, err := listing.NewPrinter(con, output, silenceColumns)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	now := time.Now()
	after := now
	if expired {
		after = time.Time{}
	}
	all, err := delivery.Silences(ctx, d, after)
	if err != nil {
		return d.Explain(err)
	}
	counts, err := delivery.HeldBackCounts(ctx, d)
	if err != nil {
		return d.Explain(err)
	}
	for i := range all {
		s := &all[i]
		doc := newSilenceDoc(s, counts[s.ID], now)
		err := lp.Add(listing.Item{
			Cells: []string{fmt.Sprint(s.ID), doc.State, strings.Join(s.Matchers, ", "), units.Local(s.EndsAt), fmt.Sprint(doc.HeldBack), s.CreatedBy, s.Comment, units.Local(s.StartsAt), cmp.Or(s.ExpiredBy, "-")},
			Name:  fmt.Sprintf("silence/%d", s.ID),
			Doc:   doc,
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 {
		con.Say("no silences")
	}
	return lp.End()
}

func newSilenceShow() *cobra.Command {
	var db string
	var output listing.Flags
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "List the messages that a silence has held back",
		Long:    "The oldest come first. Fields of json, yaml, csv and ndjson: " + deliveryview.Fields,
		Example: "  vedette notify silence show 7 --db sqlite:history.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showSilence(cmd.Context(), db, args, output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddDatabase(cmd, &db)
	output.AddFlags(cmd)
	return cmd
}

func showSilence(ctx context.Context, db string, args []string, output listing.Flags, con *console.Console) error {
	ids, err := parseNumbers(args)
	if err != nil {
		return err
	}
	lp, err := listing.NewPrinter(con, output, deliveryview.Columns)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := delivery.FindSilence(ctx, d, ids[0])
	if err != nil {
		return silenceError(d, err)
	}
	now := time.Now()
	con.Say("silence %d: %s until %s, by %s: %s", s.ID, printable.OneLine(strings.Join(s.Matchers, ", ")), units.Local(s.EndsAt), printable.OneLine(s.CreatedBy), printable.OneLine(s.Comment))
	after := int64(0)
	for {
		page, err := delivery.HeldBack(ctx, d, s.ID, after, silencedAtOnce)
		if err != nil {
			return d.Explain(err)
		}
		for i := range page {
			if err := lp.Add(deliveryview.ItemOf(&page[i], nil, true, now)); err != nil {
				return err
			}
			after = page[i].ID
		}
		if len(page) < silencedAtOnce {
			break
		}
	}
	if after == 0 {
		con.Say("no messages")
	}
	return lp.End()
}

// silencedAtOnce is the number of messages that are read at once, each with its content.
const silencedAtOnce = 200

// silenceError names the list of silences if a number is unknown.
func silenceError(d *sqldb.DB, err error) error {
	if errors.Is(err, delivery.ErrUnknown) {
		return fmt.Errorf("%w: `vedette notify silence ls` lists the silences", err)
	}
	return d.Explain(err)
}

func newSilenceExpire() *cobra.Command {
	var db string
	var by operatorFlags
	cmd := &cobra.Command{
		Use:     "expire ID",
		Short:   "End a silence now",
		Long:    "The summaries are sent as at its end.",
		Example: "  vedette notify silence expire 7 --db sqlite:history.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseNumbers(args)
			if err != nil {
				return err
			}
			d, err := settings.OpenDatabase(cmd.Context(), db)
			if err != nil {
				return err
			}
			defer d.Close()
			if err := delivery.ExpireSilence(cmd.Context(), d, ids[0], by.name()); err != nil {
				return silenceError(d, err)
			}
			console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never").Say("silence %d has ended", ids[0])
			return nil
		},
	}
	settings.AddDatabase(cmd, &db)
	by.addFlags(cmd)
	return cmd
}
