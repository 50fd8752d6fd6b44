package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// timeout limits one request to the brokers, and deliveryTimeout all attempts to store an
// event.
const (
	timeout         = 5 * time.Second
	deliveryTimeout = 10 * time.Second
)

// Sink stores events in a topic. Create it with New.
type Sink struct {
	c       Config
	options []kgo.Opt
	client  *kgo.Client // nil after an error that ends the producer
	checked bool        // the topic exists
	batch   int         // size of a batch of events that the brokers take, in bytes
}

var _ stream.Sink = (*Sink)(nil)

// New returns a sink. It connects with the first Send.
//
// Errors: an invalid field, unusable files.
func New(c Config) (*Sink, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Sink{c: c, batch: maxBatch, options: []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...), kgo.ClientID("vedette"), kgo.DefaultProduceTopic(c.Topic),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // the partitioner of the Java client
		kgo.ProduceRequestTimeout(timeout), kgo.RetryTimeout(deliveryTimeout),
		kgo.DialTimeout(5 * time.Second), kgo.UnknownTopicRetries(3),
	}}
	if c.Transactions != "" {
		s.options = append(s.options, kgo.TransactionalID(c.Transactions), kgo.TransactionTimeout(time.Minute))
	}
	if err := s.secure(); err != nil {
		return nil, err
	}
	return s, s.open()
}

// maxBatch is the size of a batch of events. The limit of a topic (max.message.bytes, 1 MB by
// default) may be lower: a refused batch is halved, down to minBatch.
const (
	maxBatch = 2 * stream.MaxEvent
	minBatch = 1 << 10
)

// secure adds the options for TLS and for the login.
func (s *Sink) secure() error {
	files := s.c.Connection
	if s.c.TLS || files.CA != "" || files.Cert != "" || files.Key != "" {
		t, err := files.TLS()
		if err != nil {
			return err
		}
		s.options = append(s.options, kgo.DialTLSConfig(t))
	}
	text, err := files.ReadCredentials()
	if err != nil || text == "" {
		return err
	}
	if _, _, err := stream.SplitLogin(text); err != nil {
		return err
	}
	s.options = append(s.options, kgo.SASL(s.c.mechanism()))
	return nil
}

// mechanism reads the login for each connection.
func (c *Config) mechanism() sasl.Mechanism {
	files := c.Connection
	read := func() (user, password string, err error) {
		text, err := files.ReadCredentials()
		if err != nil {
			return "", "", err
		}
		return stream.SplitLogin(text)
	}
	if c.Login == Plain {
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			user, password, err := read()
			return plain.Auth{User: user, Pass: password}, err
		})
	}
	auth := func(context.Context) (scram.Auth, error) {
		user, password, err := read()
		return scram.Auth{User: user, Pass: password}, err
	}
	if c.Login == SCRAM256 {
		return scram.Sha256(auth)
	}
	return scram.Sha512(auth)
}

// open creates the client, which does not connect yet.
func (s *Sink) open() (err error) {
	if s.client, err = kgo.NewClient(append(slices.Clip(s.options), kgo.ProducerBatchMaxBytes(int32(s.batch)))...); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return nil
}

// String implements stream.Sink.
func (s *Sink) String() string {
	scheme := "kafka://"
	if s.c.TLS {
		scheme = "kafka+tls://"
	}
	return scheme + strings.Join(s.c.Brokers, ",") + "/" + s.c.Topic
}

// Close implements stream.Sink.
func (s *Sink) Close() error {
	if s.client != nil {
		s.client.CloseAllowingRebalance()
	}
	return nil
}

// Send implements stream.Sink.
func (s *Sink) Send(ctx context.Context, events []stream.Event) error {
	for {
		err := s.sendOnce(ctx, events)
		if !errors.Is(err, kerr.MessageTooLarge) || s.batch <= minBatch {
			return err
		}
		s.batch /= 2
	}
}

func (s *Sink) sendOnce(ctx context.Context, events []stream.Event) error {
	if s.client == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	// kgo.RecordDeliveryTimeout counts from the time of a record, which is long ago.
	ctx, cancel := context.WithTimeoutCause(ctx, deliveryTimeout, errTimeout)
	defer cancel()
	client := s.client
	stop := context.AfterFunc(ctx, client.CloseAllowingRebalance) // the client does not give up events in flight
	err := s.send(ctx, events)
	if stop() && err == nil {
		return nil
	}
	// A new client has no buffered events and a new producer ID, so a producer that was
	// fenced or has lost its sequence continues.
	client.CloseAllowingRebalance()
	s.client, s.checked = nil, false
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return explain(err)
}

// errTimeout is the error of events that were not stored in time.
var errTimeout = fmt.Errorf("no broker stored the events within %v; check that the brokers answer", deliveryTimeout)

func (s *Sink) send(ctx context.Context, events []stream.Event) error {
	if !s.checked {
		if err := s.ensure(ctx); err != nil {
			return err
		}
		s.checked = true
	}
	records := make([]*kgo.Record, len(events))
	for i := range events {
		var err error
		if records[i], err = s.record(&events[i]); err != nil {
			return err
		}
	}
	if s.c.Transactions == "" {
		return s.client.ProduceSync(ctx, records...).FirstErr()
	}
	if err := s.client.BeginTransaction(); err != nil {
		return err
	}
	if err := s.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return errors.Join(err, s.client.EndTransaction(ctx, kgo.TryAbort))
	}
	return s.client.EndTransaction(ctx, kgo.TryCommit)
}

// record returns the message of an event. Its key is the UID of the object, so the events of
// an object are in one partition.
func (s *Sink) record(e *stream.Event) (*kgo.Record, error) {
	body, contentType, attributes, fits, err := s.c.Mode.Message(e, s.batch-batchHeader-len(e.Key))
	if err != nil {
		return nil, err
	}
	if !fits {
		return nil, &stream.TooLargeError{Event: *e, Most: s.batch, Limit: "max.message.bytes of topic " + s.c.Topic}
	}
	r := &kgo.Record{Key: []byte(e.Key), Value: body, Timestamp: e.Time, Headers: make([]kgo.RecordHeader, 0, len(attributes)+1)}
	r.Headers = append(r.Headers, kgo.RecordHeader{Key: "content-type", Value: []byte(contentType)})
	for _, a := range attributes {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: "ce_" + a.Name, Value: []byte(a.Value)})
	}
	return r, nil
}

// batchHeader is the size of the header of a batch with one record, in bytes.
const batchHeader = 100

// ensure creates the topic unless it exists.
func (s *Sink) ensure(ctx context.Context) error {
	admin := kadm.NewClient(s.client)
	topics, err := admin.ListTopics(ctx, s.c.Topic)
	if err == nil && topics.Has(s.c.Topic) {
		return nil
	}
	if err == nil {
		partitions, replicas := int32(-1), int16(-1)
		if s.c.Partitions > 0 {
			partitions = int32(s.c.Partitions)
		}
		if s.c.Replicas > 0 {
			replicas = int16(s.c.Replicas)
		}
		_, err = admin.CreateTopic(ctx, partitions, replicas, nil, s.c.Topic)
	}
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("topic %s: %w", s.c.Topic, err)
	}
	return nil
}

// explain adds a remedy to an error of the brokers.
func explain(err error) error {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, kerr.MessageTooLarge):
		return fmt.Errorf("%w; raise max.message.bytes of the topic to %d or more", err, minBatch)
	case errors.Is(err, kerr.KafkaStorageError):
		return fmt.Errorf("%w; free space in the log folders of the brokers, or lower retention.bytes of the topic", err)
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return fmt.Errorf("%w; check the file of credentials and the parameter sasl", err)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
		return fmt.Errorf("%w; allow the user to describe, create and write the topic", err)
	case errors.Is(err, kerr.InvalidReplicationFactor):
		return fmt.Errorf("%w; lower the parameter replicas to the number of brokers", err)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w; set the authorities of the brokers' certificates", err)
	}
	return err
}
