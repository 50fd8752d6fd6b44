package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// mailbox is a channel that shows the titles and logs of its messages.
type mailbox struct {
	mu  sync.Mutex
	all []string
}

func (b *mailbox) Send(_ context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := m.StateWord + ": " + strings.Join(m.Log, "|")
	if m.LogNote != "" {
		text += " (" + m.LogNote + ")"
	}
	b.all = append(b.all, text)
	return channel.Receipt{Status: "200"}, nil
}
func (b *mailbox) Traits() channel.Traits      { return channel.Traits{Kind: "test"} }
func (b *mailbox) Check(context.Context) error { return nil }
func (b *mailbox) Close() error                { return nil }

// want waits until the mailbox has as many messages as want, and compares them.
func (b *mailbox) want(t *testing.T, want ...string) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("%d messages arrive", len(want)), func() string {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.all) < len(want) {
			return fmt.Sprintf("got %q\nwant %q", b.all, want)
		}
		if !slices.Equal(b.all, want) {
			t.Errorf("got %q\nwant %q", b.all, want)
		}
		return ""
	})
}

// logRules send failures with the log to hook, and without it to chat.
const logRules = `
channels:
  hook: {type: webhook, private: true, url: {env: U}, secret: {env: S}}
  open: {type: webhook, url: {env: U}, secret: {env: S}}
  chat: {type: webhook, private: true, url: {env: U}, secret: {env: S}}
rules:
- {name: logs, enter: [Failed, Running], log: true, now: true, to: [hook, open]}
- {name: plain, enter: [Failed], now: true, to: [chat]}
`

// sending is a notifier with a mailbox for each channel.
type sending struct {
	h     *history
	kept  *joblog.Store
	boxes map[string]*mailbox
}

// newSending starts a notifier. cause is the pod that ended first; "" means unknown.
func newSending(t *testing.T, url string, wait time.Duration, cause string) *sending {
	t.Helper()
	h := newHistory(t, url)
	s := &sending{h, joblog.New(h.DB, joblog.Limits{}, nil), map[string]*mailbox{}}
	var mu sync.Mutex
	h.planWith(logRules, func(n *notify.Notifier) { n.WaitForLogs(wait) }, func(c *notify.Config) {
		c.Open = func(c *config.Channel) (channel.Channel, error) {
			mu.Lock()
			defer mu.Unlock()
			s.boxes[c.Name] = &mailbox{}
			return s.boxes[c.Name], nil
		}
		c.Workers.Poll = 5 * time.Millisecond
		if cause != "" {
			c.Facts = causeFacts(cause)
		}
	})
	return s
}

// causeFacts names the pod that ended first.
type causeFacts string

// Fill implements notify.Facts.
func (f causeFacts) Fill(_ context.Context, n *message.Notice, _ feed.Object) error {
	n.Cause.Pod = string(f)
	return nil
}

// keep stores a log of job a, which ended at a time relative to now.
func (s *sending) keep(t *testing.T, pod string, after time.Duration, code int, lines ...string) {
	t.Helper()
	log := joblog.Log{
		ClusterUID: "u-west", Namespace: "ml", Pod: pod, PodUID: "uid-" + pod, Container: "main", OwnerUID: "a", JobUID: "a",
		Started: s.h.now().Add(after - time.Second), Ended: s.h.now().Add(after), ExitCode: code, Complete: true,
	}
	var text []joblog.Line
	for _, line := range lines {
		text = append(text, joblog.Line{Time: log.Ended, Text: line})
	}
	if err := s.kept.Put(t.Context(), log, text); err != nil {
		t.Fatal(err)
	}
}

// TestLogInMessages: a rule with log adds the last lines of the failed run, for private
// channels only. Messages of other rules have no log.
func TestLogInMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newSending(t, url, time.Hour, "")
		s.h.write(newJob{uid: "a", version: 1, to: job.Running})
		s.boxes["hook"].want(t, "Running: ")
		s.h.add(time.Minute)
		var lines []string
		for i := range 25 {
			lines = append(lines, fmt.Sprint(i+1))
		}
		s.keep(t, "a-1", time.Second, 0, "of a pod that did not fail")
		s.keep(t, "a-2", 0, 137, lines...)
		s.h.write(newJob{uid: "a", version: 2, to: job.Failed})
		s.boxes["hook"].want(t, "Running: ", "Failed: "+strings.Join(lines[5:], "|")+" (a-2, attempt 1, 20 of 25 kept)")
		s.boxes["open"].want(t, "Running: ", "Failed: ")
		s.boxes["chat"].want(t, "Failed: ")
	})
}

// TestLogOfTheCause: the log comes from the pod that the message names.
func TestLogOfTheCause(t *testing.T) {
	s := newSending(t, sqlite(t), time.Hour, "a-1")
	s.keep(t, "a-1", 0, 1, "the cause")
	s.keep(t, "a-2", time.Second, 1, "a consequence")
	s.h.write(newJob{uid: "a", version: 1, to: job.Failed})
	s.boxes["hook"].want(t, "Failed: the cause (a-1, 1 of 1 kept)")
}

// TestMessageWaitsForItsLog: a message waits for its log although the log of an earlier
// run exists. It delays neither other channels nor the order of its lane.
func TestMessageWaitsForItsLog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := newSending(t, url, time.Hour, "")
		s.keep(t, "a-0", -time.Hour, 1, "of an earlier run")
		s.h.write(newJob{uid: "a", version: 1, to: job.Running}, newJob{uid: "a", version: 2, to: job.Failed}, newJob{uid: "a", version: 3, to: job.Running})
		s.boxes["open"].want(t, "Running: ", "Failed: ", "Running: ") // open gets its message while hook waits
		s.boxes["chat"].want(t, "Failed: ")
		s.boxes["hook"].want(t, "Running: ")
		s.keep(t, "a-1", time.Second, 1, "Killed")
		s.boxes["hook"].want(t, "Running: ", "Failed: Killed (a-1, attempt 1, 1 of 1 kept)", "Running: ")
	})
}

// TestMessageWithoutItsLog: a message is sent without its log if the log does not arrive
// or cannot be read.
func TestMessageWithoutItsLog(t *testing.T) {
	s := newSending(t, sqlite(t), 20*time.Millisecond, "")
	s.h.write(newJob{uid: "a", version: 1, to: job.Failed})
	s.boxes["hook"].want(t, "Failed: ")
	s.h.tx(func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "DROP TABLE kept_logs")
		return err
	})
	s.h.write(newJob{uid: "b", version: 2, to: job.Failed})
	s.boxes["hook"].want(t, "Failed: ", "Failed: ")
}

// TestLogShowsProgress: the last line of a kept log counts as progress, and a job without
// kept logs sends nothing.
func TestLogShowsProgress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		s := &sending{h: h, kept: joblog.New(h.DB, joblog.Limits{}, nil)}
		p := h.plan(channels + "rules:\n- {name: hangs, no-progress: {after: 10m, signal: [log]}, to: [hook]}\n")
		h.write(newJob{uid: "a", version: 1, to: job.Running}, newJob{uid: "b", version: 2, to: job.Running})
		p.settle()
		s.keep(t, "a-1", 5*time.Minute, 0, "step 1")
		h.add(14 * time.Minute)
		p.settle()
		h.want()
		h.add(2 * time.Minute)
		p.settle()
		h.add(10 * time.Minute)
		p.settle()
		h.want("a/1/no-progress/hangs/hook")
	})
}
