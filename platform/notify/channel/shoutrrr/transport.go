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

	"github.com/vedette-io/vedette/internal/pause"
)

// maxExcerpt is the maximum number of bytes that are kept of a refusal.
const maxExcerpt = 1024

// transport sends the requests of a service of the library. It ends them with the context
// of the message, and keeps the last refusal. It returns an error for an answer that is
// not a success, so that the library neither follows redirects nor retries.
type transport struct {
	inner http.RoundTripper

	mu      sync.Mutex
	ctx     context.Context // of the current message
	refused *refusal
	failed  error // of the last request; nil if it succeeded
}

// refusal is an answer that is not a success.
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

// refusal returns the last refusal since begin, or nil.
func (t *transport) refusal() *refusal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused
}

// failure returns the error of the last request since begin, or nil if it succeeded. The
// library mistakes some failures for successes.
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
		message = r.Context() // some services send a request before the first message
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
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxExcerpt)) // as much as arrived
	_ = answer.Body.Close()
	cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = &refusal{answer.StatusCode, answer.Header, string(text)}
	return nil, fmt.Errorf("the answer is HTTP %d", answer.StatusCode)
}

// Sleep replaces the library's waits between tries for Discord. It ends with the message.
func (t *transport) Sleep(d time.Duration) {
	t.mu.Lock()
	ctx := t.ctx
	t.mu.Unlock()
	_ = pause.For(ctx, d)
}

// install makes a service use a client. It returns false if the service does not support
// that.
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
