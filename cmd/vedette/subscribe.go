package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// subscribeOptions are the flags of subscribe.
type subscribeOptions struct {
	source  source.Flags
	cluster string // of the portal
	notify  notifyFlags
	connect kube.Config
	to      string
	states  []string
}

func newSubscribe() *cobra.Command {
	var o subscribeOptions
	cmd := &cobra.Command{
		Use:   "subscribe TYPE/NAME --to CHANNEL[:ADDRESS]",
		Short: "Get the messages about a job",
		Long: "You must be allowed to read the job: the command gets it with your kubeconfig, and asks the cluster who you are. With\n" +
			"--server, the portal knows who you are and which jobs you see; --to names one of its channels. An address that is not\n" +
			"yours in the table of people gets a code first, and no message before `vedette subscribe verify`.",
		Example: "  # On the address that the table of people has for you\n" +
			"  vedette subscribe job/train-7 -n ml --to mail --notify notify.yaml --db sqlite:history.db\n\n" +
			"  # Through a portal, without a database and a cluster\n" +
			"  vedette subscribe job/train-7 -n ml --to mail --server https://vedette.example.com\n\n" +
			"  # On another address, only when it has ended\n" +
			"  vedette subscribe job/train-7 -n ml --to mail:wei@example.com --state Succeeded,Failed\n" +
			"  vedette subscribe verify 3 40219377\n\n" +
			"  # What you get, and how to end it\n" +
			"  vedette subscribe ls\n  vedette subscribe mute 3 --for 8h\n  vedette subscribe remove 3",
		Args: oneObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			portal, err := o.source.Portal()
			switch {
			case err != nil:
				return err
			case portal == nil && o.cluster != "":
				return errNotCluster
			case portal == nil:
				return o.run(cmd.Context(), args, con)
			}
			if err := onlyCluster(cmd, map[string]string{"context": notContext, "notify": "the portal has its own file of notifications"}); err != nil {
				return err
			}
			return o.onPortal(cmd.Context(), portaljobs.New(portal, &o.source.Server, o.connect, o.cluster), args, con)
		},
	}
	o.source.AddFlags(cmd)
	o.notify.addFlags(cmd)
	addConnection(cmd, &o.connect)
	f := cmd.Flags()
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the job (default: that of the context)")
	f.StringVar(&o.cluster, "cluster", "", "cluster of the job, if the portal has several")
	f.StringVar(&o.to, "to", "", "channel of the file of notifications, with an address or a person if it is not yours, such as mail:wei@example.com")
	f.StringSliceVar(&o.states, "state", nil, "only messages about these states, such as Succeeded,Failed (default: every change)")
	cmd.AddCommand(newSubscriptions(), newSubscriptionMute(), newSubscriptionRemove(), newSubscriptionVerify())
	return cmd
}

func (o *subscribeOptions) run(ctx context.Context, args []string, con *console.Console) error {
	kind, name, err := source.ObjectName(args)
	if err != nil {
		return err
	}
	states, err := source.ParseStates(o.states)
	if err != nil {
		return err
	}
	file, err := o.notify.load(con, config.Options{WithoutSecrets: true})
	if err != nil {
		return err
	}
	channelName, word, _ := strings.Cut(o.to, ":")
	if channelName == "" {
		return errNoChannel
	}
	ch, err := channelOf(file, channelName)
	if err != nil {
		return err
	}
	d, err := settings.OpenDatabase(ctx, o.source.DB)
	if err != nil {
		return err
	}
	defer d.Close()
	con.Progress("asking the cluster …")
	who, err := askCluster(ctx, o.connect, kind, name)
	con.Clear()
	if err != nil {
		return err
	}
	of, err := recordedJob(ctx, d, who)
	if err != nil {
		return err
	}
	s := delivery.Subscription{
		Person: cmp.Or(file.PersonOf(who.user), who.user), CreatedBy: who.user, Channel: channelName, States: job.JoinStates(states, ","),
		Cluster: of.ClusterUID, Type: of.Type.String(), Namespace: of.Namespace, Name: of.Name, UID: of.UID,
	}
	a, err := config.FindAddress(file, ch, of.Cluster, s.Namespace, s.Person, word)
	if err != nil {
		return err
	}
	s.Address = a.To.Address
	return o.subscribe(ctx, d, s, a, con)
}

var errNoChannel = errors.New("say where the messages go, such as --to mail or --to mail:wei@example.com")

// onPortal subscribes the person that the portal knows.
func (o *subscribeOptions) onPortal(ctx context.Context, jobs *portaljobs.Jobs, args []string, con *console.Console) error {
	kind, name, err := source.ObjectName(args)
	if err != nil {
		return err
	}
	if _, err := source.ParseStates(o.states); err != nil {
		return err
	}
	channel, address, _ := strings.Cut(o.to, ":")
	if channel == "" {
		return errNoChannel
	}
	con.Progress("looking for %s …", name)
	_, ref, err := jobs.Find(ctx, kind+"/"+name)
	con.Clear()
	if err != nil {
		return err
	}
	s, err := jobs.Subscribe(ctx, api.Subscribe{Cluster: ref.Cluster, UID: ref.UID, States: o.states, Channel: channel, Address: address})
	if err != nil {
		return o.channels(ctx, jobs, err)
	}
	to := strings.TrimSuffix(s.Channel+":"+s.Address, ":")
	if s.Verified.IsZero() {
		verify := fmt.Sprintf("vedette subscribe verify %d CODE --server %s", s.ID, jobs.Address())
		con.Say("subscription %d: a code was sent to %s; run `%s` within %s", s.ID, to, verify, units.ShortDuration(validFor))
		return nil
	}
	con.Say("subscription %d: %s gets the messages about %s on %s", s.ID, s.Person, s.Type+" "+strings.TrimPrefix(s.Namespace+"/", "/")+s.Name, to)
	return nil
}

// channels adds the existing channels to an error about the channel.
func (o *subscribeOptions) channels(ctx context.Context, jobs *portaljobs.Jobs, err error) error {
	var p *api.Problem
	if !errors.As(err, &p) || !slices.ContainsFunc(p.Fields, func(f api.FieldProblem) bool { return f.Field == "channel" }) {
		return err
	}
	list, failed := jobs.Subscriptions(ctx)
	if failed != nil {
		return err
	}
	var names []string
	for _, c := range list.Channels {
		names = append(names, c.Name)
	}
	return fmt.Errorf("the portal at %s has no channel %q; it has %s", jobs.Address(), strings.Split(o.to, ":")[0], strings.Join(names, ", "))
}

// validFor is the time for which a code is valid.
const validFor = time.Hour

// subscribe stores a subscription. If the address is not known to be the user's, it sends
// a code there first.
func (o *subscribeOptions) subscribe(ctx context.Context, d *sqldb.DB, s delivery.Subscription, a config.Address, con *console.Console) error {
	job := s.Type + " " + strings.TrimPrefix(s.Namespace+"/", "/") + s.Name
	if a.Known {
		id, err := delivery.Subscribe(ctx, d, s, "", 0)
		if err == nil {
			con.Say("subscription %d: %s gets the messages about %s on %s", id, s.Person, job, a)
		}
		return err
	}
	clusters := preflight.ClustersOf(o.source.Settled)
	defer preflight.CloseAll(clusters)
	file, err := o.notify.load(con, preflight.WithClusters(notifyOptions(con), clusters))
	if err != nil {
		return fmt.Errorf("%s is not your address in %s, and a code cannot be sent there: %w", a, o.notify.path, err)
	}
	code, err := newCode()
	if err != nil {
		return err
	}
	id, err := delivery.Subscribe(ctx, d, s, code, validFor)
	if err != nil {
		return err
	}
	m := config.Confirmation(s.CreatedBy, job, id, code, a.To)
	if _, _, err := config.SendOnce(ctx, file.Channels[s.Channel], m, a.To); err != nil {
		return fmt.Errorf("subscription %d is not verified: %w", id, err)
	}
	con.Say("subscription %d: a code was sent to %s; run `vedette subscribe verify %d CODE` within %s", id, a, id, units.ShortDuration(validFor))
	return nil
}

// newCode returns eight random digits. A user may try five codes.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%08d", n), nil
}

// recordedJob returns the recorded object of a caller.
//
// Errors: it is not recorded there.
func recordedJob(ctx context.Context, d *sqldb.DB, who caller) (job history.Object, err error) {
	h := history.New(d)
	types, err := h.Types(ctx)
	if err != nil {
		return job, err
	}
	name := history.ObjectName{Type: who.typ, Namespace: who.object.Namespace, Name: who.object.Name}
	if i := slices.IndexFunc(types, func(t history.Type) bool { return t.Group == who.typ.Group && t.Resource == who.typ.Resource }); i >= 0 {
		name.Type = types[i]
		page, err := h.Objects(ctx, name, history.Paging{Limit: 1000})
		if err != nil {
			return job, err
		}
		for _, obj := range page.Items {
			if obj.UID == string(who.object.UID) {
				return obj, nil
			}
		}
	}
	return job, fmt.Errorf("%s is not recorded in %s: check --db and the types of `vedette record`", name, d)
}
