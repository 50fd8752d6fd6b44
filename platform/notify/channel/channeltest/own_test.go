package channeltest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// board is a channel of another module: it keeps the titles in memory.
type board struct {
	mu     sync.Mutex
	titles []string
	faults []channeltest.Fault
	closed bool
}

func (b *board) Traits() channel.Traits { return channel.Traits{Kind: "board", Timeout: time.Second} }

func (b *board) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil || b.closed {
		return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Err: errors.Join(err, errors.New("no board"))}
	}
	if len(b.faults) > 0 {
		f := b.faults[0]
		b.faults = b.faults[1:]
		if f.Stall {
			<-ctx.Done()
			return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Err: ctx.Err()}
		}
		return channel.Receipt{}, &channel.Error{Kind: f.Kind, RetryAfter: f.RetryAfter, Status: "fault"}
	}
	b.titles = append(b.titles, m.Title)
	return channel.Receipt{Status: "pinned"}, nil
}

func (b *board) Check(ctx context.Context) error { return ctx.Err() }

func (b *board) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

func (b *board) sent() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.titles...)
}

func (b *board) fail(f channeltest.Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, f)
}

// TestOwnChannel shows how a channel of another module uses the suite.
func TestOwnChannel(t *testing.T) {
	channeltest.Test(t, func(*testing.T) *channeltest.Subject {
		b := &board{}
		return &channeltest.Subject{
			Channel: b, Sent: b.sent, Fail: b.fail,
			Kinds: []channel.ErrorKind{channel.Temporary, channel.Throttled, channel.Permanent, channel.Disabled},
		}
	})
}
