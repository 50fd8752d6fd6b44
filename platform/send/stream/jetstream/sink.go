package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// timeout limits one request to the servers.
const timeout = 10 * time.Second

// Sink stores events in a JetStream stream. Create it with New.
type Sink struct {
	c       Config
	conn    *nats.Conn
	js      js.JetStream
	checked bool // the stream exists
	limit   int  // size of a message that the stream takes, in bytes; 0: no limit but that of the server
}

var _ stream.Sink = (*Sink)(nil)

// New returns a sink. It connects in the background, and again after each outage.
//
// Errors: an invalid field, unusable files.
func New(c Config) (*Sink, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(strings.Join(c.Servers, ","), options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.destination(), err)
	}
	client, err := js.New(conn, js.WithPublishAsyncTimeout(timeout), js.WithDefaultTimeout(timeout), js.WithPublishAsyncMaxPending(pending))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", c.destination(), err)
	}
	return &Sink{c: c, conn: conn, js: client}, nil
}

// pending limits the events that were sent and not yet acknowledged.
const pending = 1000

// options returns the options of the connection.
func (c *Config) options() ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name("vedette"), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.Timeout(5 * time.Second),
		nats.ReconnectBufSize(-1), // an event that cannot be sent now must fail now
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),                                       // the operator may be about to change the login
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // Send returns them; the default prints them
		nats.ConnectHandler(func(*nats.Conn) {}), nats.ClosedHandler(func(*nats.Conn) {}),
	}
	files := c.Connection
	if files.CA != "" || files.Cert != "" || files.Key != "" || strings.HasPrefix(c.Servers[0], "tls://") {
		t, err := files.TLS()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(t))
	}
	login, err := login(&files)
	if err != nil {
		return nil, err
	}
	return append(options, login...), nil
}

// login returns the options for the login in a file.
func login(files *stream.Connection) ([]nats.Option, error) {
	text, err := files.ReadCredentials()
	switch {
	case err != nil || text == "":
		return nil, err
	case strings.Contains(text, "BEGIN NATS USER JWT"):
		return []nats.Option{nats.UserCredentials(files.Credentials)}, nil
	case strings.HasPrefix(text, "SU") && len(text) == 58 || strings.Contains(text, "BEGIN USER NKEY SEED"):
		o, err := nats.NkeyOptionFromSeed(files.Credentials)
		if err != nil {
			return nil, errors.New("credentials: the NKey seed is invalid")
		}
		return []nats.Option{o}, nil
	case strings.Contains(text, ":"):
		if _, _, err := stream.SplitLogin(text); err != nil {
			return nil, err
		}
		return []nats.Option{nats.UserInfoHandler(func() (user, password string) {
			text, _ := files.ReadCredentials() // an unreadable file is a failed login
			user, password, _ = stream.SplitLogin(text)
			return user, password
		})}, nil
	}
	return []nats.Option{nats.TokenHandler(func() string {
		text, _ := files.ReadCredentials()
		return text
	})}, nil
}

// full are the codes of errors of servers that have no space for an event: insufficient resources,
// the limits of an account and of its storage, the store of the server, that of a stream.
var full = []js.ErrorCode{10002, 10023, 10028, 10047, 10077, 10120}

// destination names the stream for people.
func (c *Config) destination() string { return strings.Join(c.Servers, ",") + "/" + c.Stream }

// String implements stream.Sink.
func (s *Sink) String() string { return s.c.destination() }

// Close implements stream.Sink.
func (s *Sink) Close() error {
	s.conn.Close()
	return nil
}

// Send implements stream.Sink.
func (s *Sink) Send(ctx context.Context, events []stream.Event) error {
	if status := s.conn.Status(); status != nats.CONNECTED {
		s.checked = false
		return errOr(s.conn.LastError(), errors.New("no server answers; check the address"))
	}
	if !s.checked {
		if err := s.ensure(ctx); err != nil {
			return err
		}
		s.checked = true
	}
	acks := make([]js.PubAckFuture, 0, len(events))
	var failed error
	messages := make([]*nats.Msg, len(events))
	for i := range events {
		var err error
		if messages[i], err = s.message(&events[i]); err != nil {
			return err // before the first one is in flight
		}
	}
	for i, m := range messages {
		ack, err := s.js.PublishMsgAsync(m, js.WithMsgID(events[i].Unique()), js.WithExpectStream(s.c.Stream))
		if err != nil {
			failed = err
			break
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks { // also after an error, so that no event of this call is in flight
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			failed = errOr(failed, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if failed != nil {
		s.checked = false
		return s.explain(failed)
	}
	return nil
}

func errOr(err, or error) error {
	if err != nil {
		return err
	}
	return or
}

// message returns the message of an event.
func (s *Sink) message(e *stream.Event) (*nats.Msg, error) {
	most, setting := int(s.conn.MaxPayload()), "max_payload of the server"
	if s.limit > 0 && s.limit < most {
		most, setting = s.limit, "the maximum message size of stream "+s.c.Stream
	}
	body, contentType, headers, fits, err := s.c.Mode.Message(e, most)
	if err != nil {
		return nil, err
	}
	if !fits {
		return nil, &stream.TooLargeError{Event: *e, Most: most, Limit: setting}
	}
	m := nats.NewMsg(SubjectOf(s.c.Prefix, e))
	m.Data = body
	m.Header["content-type"] = []string{contentType}
	for _, h := range headers {
		m.Header["ce-"+h.Name] = []string{headerValue(h.Value)}
	}
	return m, nil
}

// ensure creates the stream unless it exists.
func (s *Sink) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	known, err := s.js.Stream(ctx, s.c.Stream)
	if s.limit = 0; err == nil {
		s.limit = max(0, int(known.CachedInfo().Config.MaxMsgSize))
	}
	if errors.Is(err, js.ErrStreamNotFound) {
		_, err = s.js.CreateStream(ctx, js.StreamConfig{
			Name: s.c.Stream, Description: "Transitions of Kubernetes objects, from Vedette", Subjects: []string{s.c.Prefix + ".>"},
			Retention: js.LimitsPolicy, Discard: js.DiscardOld, Storage: js.FileStorage, Replicas: s.c.Replicas,
			MaxAge: s.c.MaxAge, MaxBytes: s.c.MaxBytes, Duplicates: min(duplicates, s.c.MaxAge), Compression: js.S2Compression,
		})
		if errors.Is(err, js.ErrStreamNameAlreadyInUse) { // another replica was faster
			err = nil
		}
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, js.ErrJetStreamNotEnabled), errors.Is(err, js.ErrJetStreamNotEnabledForAccount):
		return errors.New("JetStream does not answer; start the server with --jetstream, or enable it for the account")
	case err != nil:
		return fmt.Errorf("stream %s: %w", s.c.Stream, err)
	}
	return nil
}

// explain adds a remedy to an error of the servers.
func (s *Sink) explain(err error) error {
	if of := (*js.APIError)(nil); errors.As(err, &of) && slices.Contains(full, of.ErrorCode) {
		return fmt.Errorf("%w; free space in the store of the servers, raise max_file_store or the limits of the account, or lower the max-bytes of stream %s", err, s.c.Stream)
	}
	if errors.Is(err, js.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("no stream took the event; check that stream %s has a leader and the subjects %s.>", s.c.Stream, s.c.Prefix)
	}
	return err
}
