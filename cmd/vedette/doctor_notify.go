package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/notify/rule"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/sqldb"
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

// examineNotify checks the file of notifications, its channels and what the database has of
// them. d is nil if the database cannot be read. Nothing is sent.
func examineNotify(ctx context.Context, path string, clusters []*connected, d *sqldb.DB, f *findings) {
	f.of = "notifications"
	file, err := config.Load(path, withClusters(config.Options{}, clusters))
	if err != nil {
		for _, err := range flat(err) {
			f.fails("file", err)
		}
	} else {
		f.ok("file", "%s: %s, %s, %s", path, counted(len(file.Channels), "channel"), people(len(file.People)), counted(len(file.Rules.Rules()), "rule"))
		for _, text := range file.Warnings {
			f.note(warning, "file", text, "")
		}
		examinePeople(file, f)
		examineChannels(ctx, file, f)
	}
	if d == nil {
		return
	}
	if at, err := d.Clock(ctx); err == nil {
		if skew := time.Until(at).Abs(); skew > signedSkew {
			f.note(failed, "clock", fmt.Sprintf("this clock and that of the database differ by %v", skew.Round(time.Second)), "receivers refuse signed messages with such a time: synchronize the clocks with NTP")
		} else {
			f.ok("clock", "right enough for the signatures of messages")
		}
	}
	examineCursor(ctx, d, f)
	examineDeliveries(ctx, file, d, f)
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

// examinePeople checks that rules and people reach somebody.
func examinePeople(file *config.Config, f *findings) {
	var unreached []string
	for _, name := range slices.Sorted(maps.Keys(file.People)) {
		if r, _ := file.Receivers([]rule.Target{{Kind: rule.Person, Person: name}}, nil, nil); len(r) == 0 {
			unreached = append(unreached, name)
		}
	}
	if len(unreached) > 0 {
		f.note(warning, "people", "no channel reaches "+strings.Join(unreached, ", "), "add an address on a channel")
	}
	if len(file.Rules.Rules()) == 0 {
		f.note(warning, "rules", "the file has none", "only people who subscribe get messages")
	}
}

// examineChannels asks all channels at the same time whether they answer.
func examineChannels(ctx context.Context, file *config.Config, f *findings) {
	names := slices.Sorted(maps.Keys(file.Channels))
	each := make([]findings, len(names))
	var work sync.WaitGroup
	for i, name := range names {
		each[i].of = f.of
		work.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			if err := checkChannel(ctx, file.Channels[name]); err != nil {
				each[i].note(failed, "channel "+name, err.Error(), "")
			} else {
				each[i].ok("channel "+name, "%s, found nothing wrong; `vedette notify test %s` sends a message", file.Channels[name].Kind, name)
			}
		})
	}
	work.Wait()
	for _, more := range each {
		f.all = append(f.all, more.all...)
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

// examineCursor checks that a notifier reads the feed.
func examineCursor(ctx context.Context, d *sqldb.DB, f *findings) {
	all, err := feed.Cursors(ctx, d)
	if err != nil {
		f.fails("feed", err)
		return
	}
	i := slices.IndexFunc(all, func(c feed.Cursor) bool { return c.Name == notifyCursor })
	if i < 0 {
		f.note(warning, "feed", "no notifier has run on this database yet", "`vedette record --notify` or `vedette notify run` is one")
		return
	}
	c := all[i]
	idle := time.Since(c.SeenAt).Round(time.Second)
	switch {
	case c.Expired:
		f.note(failed, "feed", "no notifier has run since "+local(c.SeenAt)+", and transitions after that were removed", "`vedette notify reset` lets notifiers begin again from now")
	case idle > idleNotifier:
		f.note(warning, "feed", fmt.Sprintf("no notifier has run for %s; %s wait", length(idle), counted(int(c.Behind), "transition")), "start one: `vedette record --notify` or `vedette notify run`")
	default:
		f.ok("feed", "%s has read all but %s", c.Owner, counted(int(c.Behind), "transition"))
	}
}

// examineDeliveries checks how messages are sent. file is nil if it has mistakes.
func examineDeliveries(ctx context.Context, file *config.Config, d *sqldb.DB, f *findings) {
	channels, err := delivery.Channels(ctx, d)
	if err != nil {
		f.fails("messages", d.Explain(err))
		return
	}
	counts, err := delivery.Counts(ctx, d)
	if err != nil {
		f.fails("messages", d.Explain(err))
		return
	}
	before, now := len(f.all), time.Now()
	for i := range channels {
		c := &channels[i]
		doc := newChannelDoc(c, counts, now)
		name := "messages of " + c.Name
		switch {
		case !c.DisabledAt.IsZero():
			f.note(failed, name, "the other side has disabled the channel: "+c.Reason, "correct it, then run `vedette notify enable "+c.Name+"`")
		case c.PausedUntil.After(now):
			f.note(warning, name, "the channel is "+channelState(c, now), "the messages wait in the database")
		}
		if unsent := doc.Held + doc.Waiting + doc.Sending; unsent > 0 && file != nil && file.Channels[c.Name] == nil {
			f.note(failed, name, fmt.Sprintf("%s for a channel that the file does not have", counted(unsent, "message")), "add the channel again")
		}
		if oldest, err := time.Parse(time.RFC3339Nano, doc.OldestAt); err == nil && now.Sub(oldest) > longWait {
			f.note(warning, name, fmt.Sprintf("%s, the oldest for %s", counted(doc.Waiting, "message")+" wait", length(now.Sub(oldest))), "`vedette notify ls --state waiting --channel "+c.Name+"` says why")
		}
		if doc.Dead > 0 {
			f.note(warning, name, counted(doc.Dead, "dead letter"), "`vedette deadletter ls --channel "+c.Name+"` lists them, `vedette notify recover` sends them again")
		}
	}
	if len(f.all) == before {
		f.ok("messages", "none is late, none is dead")
	}
}
