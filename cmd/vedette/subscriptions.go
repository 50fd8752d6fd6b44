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
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// subscriberOptions select the subscriptions of a person.
type subscriberOptions struct {
	source  source.Flags
	notify  notifyFlags
	connect kube.Config
	all     bool
	by      operatorFlags
}

func (o *subscriberOptions) addFlags(cmd *cobra.Command, all string) {
	o.source.AddFlags(cmd)
	o.notify.addFlags(cmd)
	addConnection(cmd, &o.connect)
	cmd.Flags().BoolVarP(&o.all, "all", "A", false, all)
	o.by.addFlags(cmd)
}

// portal returns a client of the portal; nil if a database is named.
//
// Errors: flags that a portal does not take.
func (o *subscriberOptions) portal() (*client.Client, error) {
	c, err := o.source.Portal()
	switch {
	case err != nil || c == nil:
		return nil, err
	case o.all:
		return nil, errors.New("--all does not work with a portal, which shows your own subscriptions: use --db")
	case o.by.by != "":
		return nil, errors.New("--by does not work with a portal, which knows who you are")
	}
	return c, nil
}

// person returns the owner of the subscriptions that the command may change, "" for all, and the
// name for the audit.
func (o *subscriberOptions) person(ctx context.Context, con *console.Console) (person, by string, err error) {
	if o.all {
		return "", o.by.name(), nil
	}
	con.Progress("asking the cluster …")
	user, err := askUser(ctx, o.connect)
	con.Clear()
	if err != nil || o.notify.path == "" {
		return user, user, err
	}
	file, err := o.notify.load(con, config.Options{WithoutSecrets: true})
	if err != nil {
		return "", "", err
	}
	return cmp.Or(file.PersonOf(user), user), user, nil
}

// subscriptionDoc is the machine-readable form of a subscription.
type subscriptionDoc struct {
	ID         int64  `json:"id"`
	Person     string `json:"person"`
	Cluster    string `json:"cluster"`
	Type       string `json:"type"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Labels     string `json:"labels"`
	States     string `json:"states"`
	Channel    string `json:"channel"`
	Address    string `json:"address"`
	Verified   bool   `json:"verified"`
	MutedUntil string `json:"mutedUntil"`
	CreatedAt  string `json:"createdAt"`
	CreatedBy  string `json:"createdBy"`
}

// subscriptionColumns are the columns of the list of subscriptions.
var subscriptionColumns = listing.Columns{Always: []string{"ID", "PERSON", "ABOUT", "STATES", "TO", "STATUS"}, Wide: []string{"CREATED", "BY", "UID"}}

func newSubscriptions() *cobra.Command {
	var o subscriberOptions
	var output listing.Flags
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List your subscriptions",
		Long: "Fields of json, yaml, csv and ndjson: id, person, cluster, type, namespace, name, uid, labels, states, channel, address,\n" +
			"verified, mutedUntil, createdAt, createdBy.",
		Example: "  vedette subscribe ls --db sqlite:history.db\n\n  # Those of all people\n  vedette subscribe ls -A",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.list(cmd.Context(), output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addFlags(cmd, "list the subscriptions of all people, and ask no cluster who you are")
	output.AddFlags(cmd)
	return cmd
}

func (o *subscriberOptions) list(ctx context.Context, output listing.Flags, con *console.Console) error {
	lp, err := listing.NewPrinter(con, output, subscriptionColumns)
	if err != nil {
		return err
	}
	person, all, err := o.subscriptions(ctx, con)
	if err != nil {
		return err
	}
	for i := range all {
		if err := lp.Add(subscriptionLine(&all[i], time.Now())); err != nil {
			return err
		}
	}
	switch {
	case len(all) == 0 && person == "": // of all people, or of a portal that asks nobody to sign in
		con.Say("no subscriptions")
	case len(all) == 0:
		con.Say("%s has no subscriptions", person)
	}
	return lp.End()
}

// subscriptions returns the subscriptions of the person, "" for everybody's.
func (o *subscriberOptions) subscriptions(ctx context.Context, con *console.Console) (person string, all []delivery.Subscription, err error) {
	portal, err := o.portal()
	if err != nil {
		return "", nil, err
	}
	if portal != nil {
		session, err := portal.Session(ctx)
		if err != nil {
			return "", nil, err
		}
		all, err = subscriptionsOf(ctx, portal)
		return session.Person, all, err
	}
	d, err := settings.OpenDatabase(ctx, o.source.DB)
	if err != nil {
		return "", nil, err
	}
	defer d.Close()
	if person, _, err = o.person(ctx, con); err != nil {
		return "", nil, err
	}
	all, err = delivery.Subscriptions(ctx, d, person)
	return person, all, d.Explain(err)
}

func subscriptionLine(s *delivery.Subscription, now time.Time) listing.Item {
	status := "active"
	switch {
	case s.VerifiedAt.IsZero():
		status = "waits for the code"
	case s.MutedUntil.After(now):
		status = "muted until " + units.Local(s.MutedUntil)
	}
	muted := time.Time{}
	if s.MutedUntil.After(now) {
		muted = s.MutedUntil
	}
	to := s.Channel
	if s.Address != "" {
		to += ":" + s.Address
	}
	about := strings.TrimSpace(s.Type + " " + strings.TrimPrefix(s.Namespace+"/", "/") + s.Name + " " + s.Labels)
	return listing.Item{
		Cells: []string{fmt.Sprint(s.ID), s.Person, about, cmp.Or(s.States, "all"), to, status, units.Local(s.CreatedAt), s.CreatedBy, s.UID},
		Name:  fmt.Sprintf("subscription/%d", s.ID),
		Doc: subscriptionDoc{
			s.ID, s.Person, s.Cluster, s.Type, s.Namespace, s.Name, s.UID, s.Labels, s.States, s.Channel, s.Address,
			!s.VerifiedAt.IsZero(), units.Timestamp(muted), units.Timestamp(s.CreatedAt), s.CreatedBy,
		},
	}
}

func newSubscriptionMute() *cobra.Command {
	var o subscriberOptions
	var lasts string
	cmd := &cobra.Command{
		Use:   "mute ID",
		Short: "Stop the messages of a subscription for a while",
		Example: "  vedette subscribe mute 3 --for 8h --db sqlite:history.db\n\n" +
			"  # Resume them\n" +
			"  vedette subscribe mute 3 --for 0",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			until, err := muteEnd(lasts, time.Now())
			if err != nil {
				return err
			}
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return o.change(cmd.Context(), args, con, func(ctx context.Context, s subscriptionOf) error {
				if err := s.mute(ctx, until); err != nil {
					return err
				}
				if until.IsZero() {
					con.Say("subscription %d: messages resume", s.id)
				} else {
					con.Say("subscription %d: no messages until %s", s.id, units.Local(until))
				}
				return nil
			})
		},
	}
	o.addFlags(cmd, "mute a subscription of any person, and ask no cluster who you are")
	cmd.Flags().StringVar(&lasts, "for", "24h", "how long, such as 8h or 3d; 0 lets the messages resume")
	return cmd
}

// muteEnd returns when a mute ends, the zero time for "0".
func muteEnd(lasts string, now time.Time) (time.Time, error) {
	if lasts == "0" {
		return time.Time{}, nil
	}
	d, err := parseAge(lasts)
	if err != nil || lasts == "forever" {
		return time.Time{}, fmt.Errorf("--for is %q: want 8h, 3d or 0, for example", lasts)
	}
	return now.Add(d), nil
}

func newSubscriptionRemove() *cobra.Command {
	var o subscriberOptions
	cmd := &cobra.Command{
		Use:     "remove ID",
		Aliases: []string{"rm"},
		Short:   "End a subscription",
		Example: "  vedette subscribe remove 3 --db sqlite:history.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			return o.change(cmd.Context(), args, con, func(ctx context.Context, s subscriptionOf) error {
				if err := s.end(ctx); err != nil {
					return err
				}
				con.Say("subscription %d has ended", s.id)
				return nil
			})
		},
	}
	o.addFlags(cmd, "end a subscription of any person, and ask no cluster who you are")
	return cmd
}

// change identifies the caller, and changes a subscription.
func (o *subscriberOptions) change(ctx context.Context, args []string, con *console.Console, do func(context.Context, subscriptionOf) error) error {
	ids, err := parseNumbers(args)
	if err != nil {
		return err
	}
	portal, err := o.portal()
	if err != nil {
		return err
	}
	if portal != nil {
		return do(ctx, subscriptionOf{portal: portal, id: ids[0]})
	}
	d, err := settings.OpenDatabase(ctx, o.source.DB)
	if err != nil {
		return err
	}
	defer d.Close()
	person, by, err := o.person(ctx, con)
	if err != nil {
		return err
	}
	err = do(ctx, subscriptionOf{d: d, id: ids[0], person: person, by: by})
	if errors.Is(err, delivery.ErrUnknown) && person != "" {
		return fmt.Errorf("%s has no subscription %d: `vedette subscribe ls` lists yours", person, ids[0])
	}
	return err
}

func newSubscriptionVerify() *cobra.Command {
	var source source.Flags
	cmd := &cobra.Command{
		Use:     "verify ID CODE",
		Short:   "Confirm an address with the code that was sent to it",
		Long:    "A code may be used for an hour, and tried five times. To get another one, subscribe again.",
		Example: "  vedette subscribe verify 3 40219377 --db sqlite:history.db",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verify(cmd.Context(), &source, args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	source.AddFlags(cmd)
	return cmd
}

func verify(ctx context.Context, source *source.Flags, args []string, con *console.Console) error {
	ids, err := parseNumbers(args[:1])
	if err != nil {
		return err
	}
	portal, err := source.Portal()
	if err != nil {
		return err
	}
	if portal != nil {
		_, err = portal.Verify(ctx, ids[0], api.VerifyRequest{Code: args[1]})
	} else {
		err = verifyIn(ctx, source.DB, ids[0], args[1])
	}
	if err != nil {
		return err
	}
	con.Say("subscription %d: the address is confirmed, and gets messages from now on", ids[0])
	return nil
}

// verifyIn confirms an address in a database.
func verifyIn(ctx context.Context, db string, id int64, code string) error {
	d, err := settings.OpenDatabase(ctx, db)
	if err != nil {
		return err
	}
	defer d.Close()
	return delivery.Verify(ctx, d, id, code)
}
