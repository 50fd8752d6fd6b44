package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// letterbox is a database with deliveries.
type letterbox struct {
	t   *testing.T
	url string
}

func newLetterbox(t *testing.T) *letterbox {
	t.Helper()
	b := &letterbox{t, "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	ended(t, 0, "migrate", "up", "--db", b.url)
	return b
}

// with calls do with the database open.
func (b *letterbox) with(do func(d *sqldb.DB) error) {
	b.t.Helper()
	d, err := sqldb.Open(b.t.Context(), b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := errors.Join(do(d), d.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// failedNotice is a notice about a failed job.
func failedNotice(name string) *message.Notice {
	code := 137
	return &message.Notice{
		Kind: message.Failed, From: job.Running, To: job.Failed, Reason: "BackoffLimitExceeded",
		Job:      message.Job{Cluster: "gpu-west", ClusterUID: "c", Type: "jobs.batch", Kind: "Job", Namespace: "ml", Name: name, UID: "u-" + name},
		Cause:    message.Cause{Reason: message.OOMKilled, Pod: name + "-0", Node: "gpu-1", ExitCode: &code, Limit: "480 GiB"},
		Happened: time.Now().Add(-time.Minute),
	}
}

// put creates n waiting deliveries for a channel.
func (b *letterbox) put(channel string, n int, change ...func(*delivery.Delivery)) {
	b.t.Helper()
	var all []delivery.Delivery
	for i := range n {
		event, err := json.Marshal(failedNotice(fmt.Sprintf("train-%d", i)))
		if err != nil {
			b.t.Fatal(err)
		}
		d := delivery.Delivery{
			Key: fmt.Sprintf("gpu-west/u-%d/17/Failed/my-failures/%s", i, channel), Kind: string(message.Failed), Rule: "my failures",
			Channel: channel, Receiver: "wei@example.com", Person: "liwei", Role: "owner", Object: int64(i + 1), Event: event,
		}
		for _, c := range change {
			c(&d)
		}
		all = append(all, d)
	}
	b.with(func(d *sqldb.DB) error {
		return d.Transact(b.t.Context(), func(tx *sqldb.Tx) error {
			_, err := delivery.Create(b.t.Context(), tx, all)
			return err
		})
	})
}

// finish tries all waiting deliveries of a channel, with a result.
func (b *letterbox) finish(channel string, result delivery.Result, status, problem string) {
	b.t.Helper()
	b.with(func(d *sqldb.DB) error {
		claimed, err := delivery.Claim(b.t.Context(), d, channel, delivery.ClaimOptions{Worker: "w", Limit: 1000})
		if err != nil {
			return err
		}
		var outcomes []delivery.Outcome
		for _, one := range claimed.Deliveries {
			outcomes = append(outcomes, delivery.Outcome{Delivery: one, Result: result, Status: status, Error: problem})
		}
		_, err = delivery.Finish(b.t.Context(), d, channel, outcomes, delivery.Policy{})
		return err
	})
}

// states counts the deliveries by their states.
func (b *letterbox) states() map[string]int {
	b.t.Helper()
	n := map[string]int{}
	b.with(func(d *sqldb.DB) error {
		all, err := delivery.List(b.t.Context(), d, delivery.Filter{Limit: 10_000})
		for _, one := range all {
			n[one.State.String()]++
		}
		return err
	})
	return n
}

// acts returns the actors and actions of the audit, the newest first.
func (b *letterbox) acts() (all []string) {
	b.t.Helper()
	b.with(func(d *sqldb.DB) error {
		acts, err := delivery.Acts(b.t.Context(), d, 100)
		for _, a := range acts {
			all = append(all, a.Actor+" "+a.Action)
		}
		return err
	})
	return all
}

// awaitCursor waits until a notifier has begun to read the feed.
func awaitCursor(t *testing.T, url string) {
	t.Helper()
	patience.Until(t, "a notifier reads the feed", func() string {
		d, err := sqldb.Read(t.Context(), url)
		if err != nil {
			return err.Error()
		}
		all, err := feed.Cursors(t.Context(), d)
		if err := errors.Join(err, d.Close()); err != nil {
			return err.Error()
		}
		if len(all) == 0 {
			return "there is no cursor"
		}
		return ""
	})
}
