package notify_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// clock is a time that tests advance.
type clock struct {
	mu sync.Mutex
	at time.Time
}

// now returns the time.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// add advances the time.
func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// job is a transition of a job to write.
type newJob struct {
	uid       string
	version   int
	to        job.State
	at        time.Time // zero: now
	kind      feed.Kind // 0: New
	source    feed.Source
	labels    string // "team=ml"
	queue     string
	submitter string
	reason    string
	body      string // of the revision; "": no body
}

// history is a database with transitions that tests write, and its clock.
type history struct {
	*sqldb.DB
	*clock
	t         *testing.T
	notifiers []*notify.Notifier // all that were started
}

// newHistory returns an empty history. Its clock is behind the real one, so workers
// consider everything due that is due by this clock.
func newHistory(t *testing.T, url string) *history {
	t.Helper()
	h := &history{openDB(t, url), &clock{at: time.Now().Add(-30 * 24 * time.Hour).UTC().Truncate(24 * time.Hour).Add(10 * time.Hour)}, t, nil} // an input: a clock that tests set
	h.tx(func(tx *sqldb.Tx) error {
		return errors.Join(
			tx.Insert(t.Context(), "clusters", []string{"id", "uid", "name", "seen_at"}, row(1, "u-west", "gpu-west", 0)),
			tx.Insert(t.Context(), "resources", []string{"id", "api_group", "name", "kind"}, row(1, "batch", "jobs", "Job")),
		)
	})
	return h
}

// row returns one row, with numbers in the types that databases return.
func row(values ...any) [][]any {
	for i, v := range values {
		if n, ok := v.(int); ok {
			values[i] = int64(n)
		}
	}
	return [][]any{values}
}

// tx runs a transaction that must succeed.
func (h *history) tx(f func(tx *sqldb.Tx) error) {
	h.t.Helper()
	if err := h.Transact(h.t.Context(), f); err != nil {
		h.t.Fatal(err)
	}
}

// write stores transitions as a recorder does: with the object, and an entry for the feed.
func (h *history) write(all ...newJob) {
	h.t.Helper()
	h.tx(func(tx *sqldb.Tx) error {
		for _, j := range all {
			if err := h.one(tx, &j); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *history) one(tx *sqldb.Tx, j *newJob) error {
	ctx := h.t.Context()
	if j.at.IsZero() {
		j.at = h.now()
	}
	at := j.at.UnixMicro()
	err := tx.InsertNew(ctx, "objects", []string{
		"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter", "created_at", "seen_at",
		"presence", "deleted_at", "version", "state", "raw_state", "reason", "message", "since", "attributes_hash", "selector_hash", "keyframe_version", "deltas",
	}, row(1, 1, "ml", "job-"+j.uid, j.uid, "", "", "", j.queue, j.submitter, at, at, 0, 0, 0, "", "", "", "", 0, 0, 0, 0, 0), "uid")
	if err != nil {
		return err
	}
	var id, version int64
	var from string
	if err := tx.QueryRow(ctx, "SELECT id, version, state FROM objects WHERE uid = ?", j.uid).Scan(&id, &version, &from); err != nil {
		return err
	}
	if name, value, ok := strings.Cut(j.labels, "="); ok && version == 0 {
		if err := tx.Insert(ctx, "labels", []string{"object_id", "name", "value"}, row(id, name, value)); err != nil {
			return err
		}
	}
	if j.body != "" {
		hash := sha256.Sum256([]byte(j.body))
		if err := tx.Insert(ctx, "revisions", []string{"object_id", "version", "deleted", "source", "seen_at", "state", "raw_state", "body", "keyframe_version", "dictionary_id", "size", "data"},
			row(id, j.version, 0, 1, at, string(j.to), "", hash[:16], 0, 0, len(j.body), []byte(j.body))); err != nil {
			return err
		}
		if string(j.to) == from {
			return nil // no transition
		}
	}
	if j.kind != feed.Late {
		gone := int64(0)
		presence := 0
		if j.to == job.Deleted {
			gone, presence = at, 1
		}
		if _, err := tx.Exec(ctx, "UPDATE objects SET state = ?, since = ?, version = ?, deleted_at = ?, presence = ? WHERE id = ?", string(j.to), at, j.version, gone, presence, id); err != nil {
			return err
		}
	}
	if err := tx.Insert(ctx, "transitions", []string{"object_id", "version", "from_state", "to_state", "from_raw_state", "to_raw_state", "reason", "message", "happened_at", "seen_at", "source"},
		row(id, j.version, from, string(j.to), "", "", j.reason, "", at, at, int(cmp.Or(j.source, feed.Watched)))); err != nil {
		return err
	}
	return tx.Insert(ctx, "feed_outbox", []string{"object_id", "version", "kind"}, row(id, j.version, int(cmp.Or(j.kind, feed.New))))
}

// fileOf parses a file of rules without its secrets. People read the channels named chat….
func fileOf(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("notify.yaml", []byte(text), config.Options{WithoutSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, ch := range c.Channels {
		if strings.HasPrefix(name, "chat") && ch.Kind == "webhook" {
			ch.Kind = "chat"
		}
	}
	return c
}

// channels is a part of a file: one channel for programs and one for people.
const channels = `
channels:
  hook: {type: webhook, url: {env: U}, secret: {env: S}}
  chat: {type: webhook, url: {env: U}, secret: {env: S}}
  chat-ops: {type: webhook, url: {env: U}, secret: {env: S}}
`

// errClosed is the reason why the channels of planning tests are not open.
var errClosed = errors.New("the test sends nothing")

// planning is a running notifier that uses the clock of a history.
type planning struct {
	*notify.Notifier
	h    *history
	stop func()
}

// plan runs a notifier that only plans, until the test or stop ends it.
func (h *history) plan(file string, change ...func(*notify.Config)) *planning {
	h.t.Helper()
	p := h.begin(file, change...)
	p.settle()
	return p
}

// begin is plan, but does not wait for the first round.
func (h *history) begin(file string, change ...func(*notify.Config)) *planning {
	h.t.Helper()
	return h.beginWith(file, func(*notify.Notifier) {}, change...)
}

// planWith is plan, but calls prepare before the notifier runs.
func (h *history) planWith(file string, prepare func(*notify.Notifier), change ...func(*notify.Config)) *planning {
	h.t.Helper()
	p := h.beginWith(file, prepare, change...)
	p.settle()
	return p
}

func (h *history) beginWith(file string, prepare func(*notify.Notifier), change ...func(*notify.Config)) *planning {
	h.t.Helper()
	c := notify.Config{
		File: fileOf(h.t, file), Now: h.now, Logger: slog.New(slog.NewTextHandler(h.t.Output(), &slog.HandlerOptions{Level: slog.LevelError + 1})),
		Open: func(*config.Channel) (channel.Channel, error) { return nil, errClosed },
	}
	for _, f := range change {
		f(&c)
	}
	n, err := notify.New(h.DB, c)
	if err != nil {
		h.t.Fatal(err)
	}
	n.Quicken()
	prepare(n)
	ctx, cancel := context.WithCancel(h.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := n.Run(ctx); err != nil {
			h.t.Error(err)
		}
	})
	p := &planning{n, h, func() { cancel(); running.Wait() }}
	h.notifiers = append(h.notifiers, n)
	h.t.Cleanup(p.stop)
	return p
}

// rounds returns how many transactions the planners of all replicas have committed.
func (h *history) rounds() (n uint64) {
	for _, r := range h.notifiers {
		n += r.Rounds()
	}
	return n
}

// settle waits until all written transitions are handled and a planner has checked timers
// at the current time. With several replicas, only one of them does this, and it may be
// any.
func (p *planning) settle() {
	p.h.t.Helper()
	rounds := p.h.rounds()
	patience.Until(p.h.t, "the planner settles", func() string {
		cursors, err := feed.Cursors(p.h.t.Context(), p.h.DB)
		if err != nil {
			p.h.t.Fatal(err)
		}
		var waiting int
		if err := p.h.QueryRow(p.h.t.Context(), "SELECT COUNT(*) FROM feed_outbox").Scan(&waiting); err != nil {
			p.h.t.Fatal(err)
		}
		cursor, found := feed.Summary(cursors, "notify")
		if found && cursor.Behind == 0 && waiting == 0 && p.h.rounds() >= rounds+4 {
			return ""
		}
		return fmt.Sprintf("%+v, %d in the outbox, %d rounds", cursors, waiting, p.h.rounds()-rounds)
	})
}

// keys returns the keys of all deliveries, oldest first, without the cluster.
func (h *history) keys() (keys []string) {
	h.t.Helper()
	for _, d := range h.deliveries() {
		keys = append(keys, strings.TrimPrefix(d.Key, "gpu-west/"))
	}
	return keys
}

// deliveries returns all deliveries, oldest first.
func (h *history) deliveries() []delivery.Delivery {
	h.t.Helper()
	all, err := delivery.List(h.t.Context(), h.DB, delivery.Filter{Limit: 10_000})
	if err != nil {
		h.t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// want fails the test if the deliveries have other keys.
func (h *history) want(keys ...string) {
	h.t.Helper()
	if got := h.keys(); !slices.Equal(got, keys) {
		h.t.Errorf("deliveries\n got %q\nwant %q", got, keys)
	}
}

// items returns the kinds of the items of a digest with the names of their jobs.
func (h *history) items(digest delivery.Delivery) (all []string) {
	h.t.Helper()
	items, err := delivery.Items(h.t.Context(), h.DB, digest.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, i := range items {
		all = append(all, fmt.Sprintf("%s %d", i.Kind, i.Object))
	}
	return all
}
