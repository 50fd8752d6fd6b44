package shoutrrr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/mattermost"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/rocketchat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// maxExcerpt is how much of a refusal is kept, in bytes.
const maxExcerpt = 1024

// transport carries the requests of a service of the library. It ends them with the
// context of the message, and remembers the last refusal. An answer that is no success
// becomes an error at once: so the library neither follows redirects nor tries again by
// itself.
type transport struct {
	inner http.RoundTripper

	mu      sync.Mutex
	ctx     context.Context // of the message that is being sent
	refused *refusal
	failed  error // of the last request; nil if it succeeded
}

// refusal is an answer that is no success.
type refusal struct {
	code   int
	header http.Header
	text   string
}

// begin prepares for a message.
func (t *transport) begin(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ctx, t.refused, t.failed = ctx, nil, errors.New("the library sent nothing")
}

// refusal returns the last refusal since begin, nil if there was none.
func (t *transport) refusal() *refusal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// failure returns why the last request since begin failed, nil if it succeeded. The library
// takes some failures for successes.
func (t *transport) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.exchange(r)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = err
	return answer, err
}

func (t *transport) exchange(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	message := t.ctx
	t.mu.Unlock()
	if message == nil {
		message = r.Context() // a service that asks before the first message
	}
	if err := message.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(message, cancel) // the context of a message always ends
	answer, err := t.inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	if answer.StatusCode >= 200 && answer.StatusCode <= 299 {
		return answer, nil
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxExcerpt)) // what there is of it
	_ = answer.Body.Close()
	cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = &refusal{answer.StatusCode, answer.Header, string(text)}
	return nil, fmt.Errorf("the answer is HTTP %d", answer.StatusCode)
}

// Sleep implements the waiting between tries of the library for Discord. It ends with the
// message.
func (t *transport) Sleep(d time.Duration) {
	t.mu.Lock()
	ctx := t.ctx
	t.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// install makes a service use a client. It reports whether that is possible.
func (t *transport) install(s types.Service, client *http.Client) bool {
	switch s := s.(type) {
	case *discord.Service:
		s.HTTPClient, s.Sleeper = client, t
	case *rocketchat.Service:
		s.Client = client
	case *pushover.Service:
		s.Client = client
	case *ntfy.Service:
		s.SetHTTPClient(client)
	case *mattermost.Service:
		*s.GetHTTPClient() = *client
	case *gotify.Service:
		*s.GetHTTPClient() = *client
	default:
		return false
	}
	return true
}
