package kafka_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/send/stream/kafka"
	"github.com/vedette-io/vedette/platform/send/stream/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// broker is a Kafka cluster in the process.
type broker struct {
	options []kfake.Opt
	c       *kfake.Cluster
	addrs   []string
}

// start starts a cluster of three brokers.
func start(t *testing.T, options ...kfake.Opt) *broker {
	t.Helper()
	b := &broker{options: append(options, kfake.NumBrokers(3), kfake.DataDir(t.TempDir()), kfake.SyncWrites())}
	b.Start(t)
	b.addrs = b.c.ListenAddrs()
	ports := make([]int, len(b.addrs))
	for i, addr := range b.addrs {
		if _, err := fmt.Sscanf(addr[strings.LastIndex(addr, ":")+1:], "%d", &ports[i]); err != nil {
			t.Fatal(err)
		}
	}
	b.options = append(b.options, kfake.Ports(ports...))
	t.Cleanup(func() { b.c.Close() })
	return b
}

func (b *broker) Start(t *testing.T) {
	t.Helper()
	var err error
	if b.c, err = kfake.NewCluster(b.options...); err != nil {
		t.Fatal(err)
	}
}

func (b *broker) Stop(*testing.T) { b.c.Close() }

func (b *broker) url() string { return "kafka://" + strings.Join(b.addrs, ",") }

func (b *broker) Sink(t *testing.T, mode stream.Mode) stream.Sink {
	t.Helper()
	c, err := kafka.Parse(b.url())
	if err != nil {
		t.Fatal(err)
	}
	c.Mode = mode
	return sink(t, c)
}

func sink(t *testing.T, c kafka.Config) *kafka.Sink {
	t.Helper()
	s, err := kafka.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// records returns all committed records of the topic.
func (b *broker) records(t *testing.T) (all []*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.addrs...), kgo.ConsumeTopics(kafka.DefaultTopic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := patience.Context(t, "all records")
	offsets, err := kadm.NewClient(client).ListCommittedOffsets(ctx, kafka.DefaultTopic)
	if err != nil {
		t.Fatal(err)
	}
	left := map[int32]int64{}
	offsets.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			all = append(all, p.Records...)
			if n := len(p.Records); n > 0 && p.Records[n-1].Offset+1 >= left[p.Partition]-1 { // the last offset may be the end of a transaction
				delete(left, p.Partition)
			}
		})
	}
	return all
}

func (b *broker) Messages(t *testing.T) (all []streamtest.Message) {
	t.Helper()
	for _, r := range b.records(t) {
		m := streamtest.Message{Attributes: map[string]string{}, Body: r.Value}
		for _, h := range r.Headers {
			if h.Key == "content-type" {
				m.ContentType = string(h.Value)
			} else if name, ok := strings.CutPrefix(h.Key, "ce_"); ok {
				m.Attributes[name] = string(h.Value)
			}
		}
		all = append(all, m)
	}
	return all
}

func TestSink(t *testing.T) {
	streamtest.Run(t, func(t *testing.T) streamtest.Broker { return start(t) })
}

// send sends events until the sink has stored them.
func send(t *testing.T, s stream.Sink, events ...stream.Event) {
	t.Helper()
	patience.NoError(t, "the events are stored", func() error { return s.Send(t.Context(), events) })
}

// TestKeys checks the key and the time of records, and the partitions of a new topic.
func TestKeys(t *testing.T) {
	b := start(t)
	c, err := kafka.Parse(b.url() + "?partitions=7")
	if err != nil {
		t.Fatal(err)
	}
	s := sink(t, c)
	defer s.Close()
	e := streamtest.Event("a", 3)
	send(t, s, e)
	all := b.records(t)
	if len(all) != 1 || string(all[0].Key) != "a" || !all[0].Timestamp.Equal(e.Time.Truncate(time.Millisecond)) {
		t.Fatalf("got records %+v", all)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.addrs...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	topics, err := kadm.NewClient(client).ListTopics(t.Context(), kafka.DefaultTopic)
	if err != nil || len(topics[kafka.DefaultTopic].Partitions) != 7 {
		t.Errorf("got topics %+v and error %v, want 7 partitions", topics, err)
	}
}

// TestFaults sends while brokers answer requests with random errors, also after they have
// stored the events, and while partitions move. Every event arrives, in the order of its object.
func TestFaults(t *testing.T) {
	for _, transactions := range []string{"", "vedette"} {
		t.Run("transactions="+transactions, func(t *testing.T) {
			b := start(t)
			random := testinput.Rand(t)
			codes := []*kerr.Error{kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicas, kerr.UnknownServerError, kerr.LeaderNotAvailable}
			b.c.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
				b.c.KeepControl()
				if random.IntN(3) > 0 {
					return nil, nil, false
				}
				p := r.(*kmsg.ProduceRequest)
				resp := p.ResponseKind().(*kmsg.ProduceResponse)
				code := codes[random.IntN(len(codes))].Code
				for _, topic := range p.Topics {
					st := kmsg.NewProduceResponseTopic()
					st.Topic, st.TopicID = topic.Topic, topic.TopicID
					for _, partition := range topic.Partitions {
						sp := kmsg.NewProduceResponseTopicPartition()
						sp.Partition, sp.ErrorCode = partition.Partition, code
						st.Partitions = append(st.Partitions, sp)
					}
					resp.Topics = append(resp.Topics, st)
				}
				return resp, nil, true
			})
			s := sink(t, kafka.Config{Brokers: b.addrs, Transactions: transactions})
			defer s.Close()
			const keys, versions = 8, 6
			for v := range versions {
				var round []stream.Event
				for k := range keys {
					round = append(round, streamtest.Event(fmt.Sprint("k", k), v+1))
				}
				send(t, s, round...)
				b.c.ShufflePartitionLeaders()
			}
			want(t, b.Messages(t), keys, versions)
		})
	}
}

// TestLimit checks that batches and events are shortened to the limit of a broker, and that an event
// which is still too large is one error with the limit.
func TestLimit(t *testing.T) {
	for _, most := range []int{20_000, 3_000, 100} {
		b := start(t)
		b.c.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
			b.c.KeepControl()
			p := r.(*kmsg.ProduceRequest)
			resp, large := p.ResponseKind().(*kmsg.ProduceResponse), false
			for _, topic := range p.Topics {
				st := kmsg.NewProduceResponseTopic()
				st.Topic, st.TopicID = topic.Topic, topic.TopicID
				for _, partition := range topic.Partitions {
					sp := kmsg.NewProduceResponseTopicPartition()
					sp.Partition, sp.ErrorCode = partition.Partition, kerr.MessageTooLarge.Code
					st.Partitions = append(st.Partitions, sp)
					large = large || len(partition.Records) > most
				}
				resp.Topics = append(resp.Topics, st)
			}
			return resp, nil, large
		})
		s := sink(t, kafka.Config{Brokers: b.addrs})
		defer s.Close()
		large := streamtest.Event("a", 1)
		random := make([]byte, 50_000) // compression does not help
		source := testinput.Rand(t)
		for i := range random {
			random[i] = 'a' + byte(source.IntN(26))
		}
		large.Data.Object.Labels = map[string]string{"large": string(random)}
		large.Data.Message = string(random)
		if most < 1000 {
			patience.Until(t, "the event is refused", func() string {
				refusal := (*stream.TooLargeError)(nil)
				if err := s.Send(t.Context(), []stream.Event{large}); !errors.As(err, &refusal) || !strings.Contains(refusal.Error(), "raise max.message.bytes of topic") {
					return fmt.Sprintf("got error %v", err)
				}
				return ""
			})
			continue
		}
		send(t, s, large, streamtest.Event("b", 1))
		keys := map[string]bool{}
		for _, r := range b.records(t) { // some twice: the refused batches had others too
			keys[string(r.Key)] = true
		}
		if !keys["a"] || !keys["b"] {
			t.Errorf("with %d bytes: got the keys %v, want a and b", most, keys)
		}
	}
}

// want checks that the first appearances of the events of each key are complete and in order.
func want(t *testing.T, all []streamtest.Message, keys, versions int) {
	t.Helper()
	last := map[string]int{}
	for _, m := range all {
		key := m.Attributes["partitionkey"]
		var v int
		if _, err := fmt.Sscanf(strings.TrimPrefix(m.Attributes["id"], key+"."), "%d", &v); err != nil {
			t.Fatal(err)
		}
		if v > last[key]+1 {
			t.Fatalf("%s came after version %d", m.Attributes["id"], last[key])
		}
		last[key] = max(last[key], v)
	}
	if len(last) != keys {
		t.Errorf("got %d keys, want %d", len(last), keys)
	}
	for key, v := range last {
		if v != versions {
			t.Errorf("got %d versions of %s, want %d", v, key, versions)
		}
	}
}

// TestFenced checks that a replica with the same transactional ID can take over.
func TestFenced(t *testing.T) {
	b := start(t)
	one, two := sink(t, kafka.Config{Brokers: b.addrs, Transactions: "x"}), sink(t, kafka.Config{Brokers: b.addrs, Transactions: "x"})
	defer one.Close()
	defer two.Close()
	send(t, one, streamtest.Event("a", 1))
	send(t, two, streamtest.Event("a", 2))
	if err := one.Send(t.Context(), []stream.Event{streamtest.Event("a", 3)}); err == nil {
		t.Error("a replica that was replaced stored an event")
	}
	send(t, one, streamtest.Event("a", 3)) // it takes over again
	want(t, b.Messages(t), 1, 3)
}

// TestLogin checks logins, and that no error contains them.
func TestLogin(t *testing.T) {
	b := start(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "vedette", "secret-1"), kfake.Superuser("PLAIN", "vedette", "secret-1"))
	file := filepath.Join(t.TempDir(), "login")
	for _, mechanism := range []string{"scram-sha-512", "plain"} {
		for text, accepted := range map[string]bool{"vedette:secret-1\n": true, "vedette:secret-2": false} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := kafka.Parse(b.url() + "?sasl=" + mechanism)
			if err != nil {
				t.Fatal(err)
			}
			c.Connection.Credentials = file
			s := sink(t, c)
			err = s.Send(t.Context(), []stream.Event{streamtest.Event("a", 1)})
			if accepted != (err == nil) || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s, accepted %t: got error %v", mechanism, accepted, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	c, err := kafka.Parse("kafka+tls://a,b:9000/jobs?replicas=3&sasl=plain&transactions=t1")
	if err != nil || fmt.Sprint(c.Brokers) != "[a:9092 b:9000]" || c.Topic != "jobs" || c.Replicas != 3 || c.Login != kafka.Plain || c.Transactions != "t1" || !c.TLS {
		t.Errorf("got %+v and error %v", c, err)
	}
	for text, want := range map[string]string{
		"nats://h":                "want kafka:// or kafka+tls://",
		"kafka://u:secret@h":      "put user:password into the file",
		"kafka://h/a?partition=3": "did you mean partitions?",
		"kafka://h/a b":           "name of the topic",
		"kafka://h?sasl=oauth":    "want scram-sha-512",
	} {
		if _, err := kafka.Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got error %v, want %q", text, err, want)
		}
	}
}
