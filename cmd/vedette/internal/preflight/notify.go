package preflight

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

const (
	// signedSkew is how far the clock of a sender may be off before receivers of signed
	// messages refuse them (Standard Webhooks).
	signedSkew = 5 * time.Minute
	// idleNotifier is how long no notifier may be seen. Each is seen twice a minute.
	idleNotifier = 5 * time.Minute
	// longWait is how old the oldest unsent message may be.
	longWait = 15 * time.Minute
	// checkTimeout bounds the check of a channel.
	checkTimeout = 10 * time.Second
)

// NotifyCursor is the cursor of notifiers in the feed.
const NotifyCursor = "notify"

// CheckNotifications checks the file of notifications, its channels and what the database has of
// them. d is nil if the database cannot be read. Nothing is sent.
func CheckNotifications(ctx context.Context, path string, clusters []*Cluster, d *sqldb.DB, f *Findings) {
	f.Of = "notifications"
	file, err := config.Load(path, WithClusters(config.Options{}, clusters))
	if err != nil {
		for _, err := range explain.Flatten(err) {
			f.Fail("file", err)
		}
	} else {
		f.OK("file", "%s: %s, %s, %s", path, units.Count(len(file.Channels), "channel"), people(len(file.People)), units.Count(len(file.Rules.Rules()), "rule"))
		for _, text := range file.Warnings {
			f.note(Warning, "file", text, "")
		}
		examinePeople(file, f)
		examineChannels(ctx, file, f)
	}
	if d == nil {
		return
	}
	if at, err := d.Clock(ctx); err == nil {
		if skew := time.Until(at).Abs(); skew > signedSkew {
			f.note(Failed, "clock", fmt.Sprintf("this clock and that of the database differ by %v", skew.Round(time.Second)), "receivers refuse signed messages with such a time: synchronize the clocks with NTP")
		} else {
			f.OK("clock", "right enough for the signatures of messages")
		}
	}
	examineCursor(ctx, d, f)
	examineFiles(ctx, file, d, f)
	examineDeliveries(ctx, file, d, f)
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

// examinePeople checks that rules and people reach somebody.
func examinePeople(file *config.Config, f *Findings) {
	var unreached []string
	for _, name := range slices.Sorted(maps.Keys(file.People)) {
		if r, _ := file.Receivers([]rule.Target{{Kind: rule.Person, Person: name}}, nil, config.Named{}); len(r) == 0 {
			unreached = append(unreached, name)
		}
	}
	if len(unreached) > 0 {
		f.note(Warning, "people", "no channel reaches "+strings.Join(unreached, ", "), "add an address on a channel")
	}
	if len(file.Rules.Rules()) == 0 {
		f.note(Warning, "rules", "the file has none", "only people who subscribe get messages")
	}
}

// examineChannels asks all channels at the same time whether they answer.
func examineChannels(ctx context.Context, file *config.Config, f *Findings) {
	names := slices.Sorted(maps.Keys(file.Channels))
	each := make([]Findings, len(names))
	var work sync.WaitGroup
	for i, name := range names {
		each[i].Of = f.Of
		work.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			if err := checkChannel(ctx, file.Channels[name]); err != nil {
				each[i].note(Failed, "channel "+name, err.Error(), "")
			} else {
				each[i].OK("channel "+name, "%s, found nothing wrong; `vedette notify test %s` sends a message", file.Channels[name].Kind, name)
			}
		})
	}
	work.Wait()
	for _, more := range each {
		f.All = append(f.All, more.All...)
	}
}

func checkChannel(ctx context.Context, c *config.Channel) error {
	opened, err := c.Open()
	if err != nil {
		return err
	}
	err = opened.Check(ctx)
	if refused := channel.ErrorOf(err); refused != nil {
		err = refused
	}
	return errors.Join(err, opened.Close())
}

// examineFiles compares the files of the notifiers that run with each other and with file,
// which is nil if it cannot be read.
func examineFiles(ctx context.Context, file *config.Config, d *sqldb.DB, f *Findings) {
	all, err := delivery.ReportedFiles(ctx, d)
	if err != nil {
		return // examineCursor reports a database that does not answer
	}
	now := d.Now()
	if err := delivery.UnlikeFiles(all, now); err != nil {
		f.note(Warning, "files", err.Error(), "give all notifiers the same file")
		return
	}
	for _, one := range all {
		if file != nil && now.Sub(one.At) <= delivery.ReportAge && one.Hash != file.Hash {
			f.note(Warning, "files", fmt.Sprintf("notifier %s has another file than %s", one.Notifier, file.Path), "restart it, or check the file that it reads")
		}
	}
}

// examineCursor checks that a notifier reads the feed.
func examineCursor(ctx context.Context, d *sqldb.DB, f *Findings) {
	all, err := feed.Cursors(ctx, d)
	if err != nil {
		f.Fail("feed", err)
		return
	}
	c, found := feed.Summary(all, NotifyCursor)
	if !found {
		f.note(Warning, "feed", "no notifier has run on this database yet", "`vedette record --notify` or `vedette notify run` is one")
		return
	}
	idle := time.Since(c.SeenAt).Round(time.Second)
	switch {
	case c.Expired:
		f.note(Failed, "feed", "no notifier has run since "+units.Local(c.SeenAt)+", and transitions after that were removed", "`vedette notify reset` lets notifiers begin again from now")
	case idle > idleNotifier:
		f.note(Warning, "feed", fmt.Sprintf("no notifier has run for %s; %s wait", units.Duration(idle), units.Count(int(c.Behind), "transition")), "start one: `vedette record --notify` or `vedette notify run`")
	default:
		f.OK("feed", "%s has read all but %s", c.Owner, units.Count(int(c.Behind), "transition"))
	}
}

// examineDeliveries checks how messages are sent. file is nil if it has mistakes.
func examineDeliveries(ctx context.Context, file *config.Config, d *sqldb.DB, f *Findings) {
	channels, err := delivery.Channels(ctx, d)
	if err != nil {
		f.Fail("messages", d.Explain(err))
		return
	}
	counts, err := delivery.Counts(ctx, d)
	if err != nil {
		f.Fail("messages", d.Explain(err))
		return
	}
	before, now := len(f.All), time.Now()
	for i := range channels {
		c := &channels[i]
		doc := deliveryview.NewChannelDocument(c, counts, now)
		name := "messages of " + c.Name
		switch {
		case !c.DisabledAt.IsZero():
			f.note(Failed, name, "the other side has disabled the channel: "+c.Reason, "correct it, then run `vedette notify enable "+c.Name+"`")
		case c.PausedUntil.After(now):
			f.note(Warning, name, "the channel is "+deliveryview.ChannelState(c, now), "the messages wait in the database")
		}
		if unsent := doc.Held + doc.Waiting + doc.Sending; unsent > 0 && file != nil && file.Channels[c.Name] == nil {
			f.note(Failed, name, fmt.Sprintf("%s for a channel that the file does not have", units.Count(unsent, "message")), "add the channel again")
		}
		if oldest, err := time.Parse(time.RFC3339Nano, doc.OldestAt); err == nil && now.Sub(oldest) > longWait {
			f.note(Warning, name, fmt.Sprintf("%s, the oldest for %s", units.Count(doc.Waiting, "message")+" wait", units.Duration(now.Sub(oldest))), "`vedette notify ls --state waiting --channel "+c.Name+"` says why")
		}
		if doc.Dead > 0 {
			f.note(Warning, name, units.Count(doc.Dead, "dead letter"), "`vedette deadletter ls --channel "+c.Name+"` lists them, `vedette notify recover` sends them again")
		}
	}
	if len(f.All) == before {
		f.OK("messages", "none is late, none is dead")
	}
}
