package jetstream_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/platform/send/stream/jetstream"
	"github.com/vedette-io/vedette/platform/send/stream/streamtest"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		// The server keeps two goroutines for the process.
		if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.func1")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// broker is a NATS server in the process.
type broker struct {
	options server.Options
	s       *server.Server
}

// start starts a server. change may change its options.
func start(t *testing.T, change func(o *server.Options)) *broker {
	t.Helper()
	b := &broker{options: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}}
	if change != nil {
		change(&b.options)
	}
	b.Start(t)
	t.Cleanup(func() { b.Stop(t) })
	return b
}

func (b *broker) Start(t *testing.T) {
	t.Helper()
	o := b.options
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if limit := patience.Limit(t); !s.ReadyForConnections(limit) {
		t.Fatalf("the NATS server did not start within %v", limit)
	}
	b.s = s
	b.options.Port = s.Addr().(*net.TCPAddr).Port // the same port after a stop
}

func (b *broker) Stop(*testing.T) {
	b.s.Shutdown()
	b.s.WaitForShutdown()
}

func (b *broker) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", b.options.Port) }

func (b *broker) Sink(t *testing.T, mode stream.Mode) stream.Sink {
	t.Helper()
	c, err := jetstream.Parse(b.url())
	if err != nil {
		t.Fatal(err)
	}
	c.Mode = mode
	return sink(t, c)
}

func sink(t *testing.T, c jetstream.Config) *jetstream.Sink {
	t.Helper()
	s, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect returns a client of the test.
func (b *broker) connect(t *testing.T) js.JetStream {
	t.Helper()
	conn, err := nats.Connect(b.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	client, err := js.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// raw returns all messages of the stream.
func (b *broker) raw(t *testing.T) (all []*js.RawStreamMsg) {
	t.Helper()
	s, err := b.connect(t).Stream(t.Context(), jetstream.DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	for n := s.CachedInfo().State.FirstSeq; n <= s.CachedInfo().State.LastSeq; n++ {
		m, err := s.GetMsg(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func (b *broker) Messages(t *testing.T) (all []streamtest.Message) {
	t.Helper()
	for _, m := range b.raw(t) {
		out := streamtest.Message{ContentType: m.Header.Get("content-type"), Attributes: map[string]string{}, Body: m.Data}
		for name := range m.Header {
			if attribute, ok := strings.CutPrefix(name, "ce-"); ok {
				value, err := url.PathUnescape(m.Header.Get(name))
				if err != nil {
					t.Fatal(err)
				}
				out.Attributes[attribute] = value
			}
		}
		all = append(all, out)
	}
	return all
}

func TestSink(t *testing.T) {
	streamtest.Run(t, func(t *testing.T) streamtest.Broker { return start(t, nil) })
}

// TestSubjects checks the subject and the ID of messages, and the limits of a new stream.
func TestSubjects(t *testing.T) {
	b := start(t, nil)
	s := b.Sink(t, stream.Binary)
	defer s.Close()
	e := streamtest.Event("a", 3)
	send(t, s, e)
	send(t, s, e) // repeated
	all := b.raw(t)
	if len(all) != 1 || all[0].Subject != "vedette.prod.team-a.jobs_batch.Running" || all[0].Header.Get("Nats-Msg-Id") != "c1.a.3" {
		t.Errorf("got %d messages, the first with subject %q and ID %q", len(all), all[0].Subject, all[0].Header.Get("Nats-Msg-Id"))
	}
	info, err := b.connect(t).Stream(t.Context(), jetstream.DefaultStream)
	if err != nil {
		t.Fatal(err)
	}
	if c := info.CachedInfo().Config; c.MaxAge != 7*24*time.Hour || c.MaxBytes != 10<<30 || c.Duplicates != 10*time.Minute || fmt.Sprint(c.Subjects) != "[vedette.>]" {
		t.Errorf("got stream %+v", c)
	}
}

// send sends an event, and retries while the sink connects.
func send(t *testing.T, s stream.Sink, e stream.Event) {
	t.Helper()
	patience.NoError(t, "the event is stored", func() error { return s.Send(t.Context(), []stream.Event{e}) })
}

// refused sends an event until the error contains a text.
func refused(t *testing.T, s stream.Sink, want string) {
	t.Helper()
	patience.Until(t, "an error with "+want, func() string {
		err := s.Send(t.Context(), []stream.Event{streamtest.Event("a", 1)})
		if err != nil && strings.Contains(err.Error(), want) {
			return ""
		}
		return fmt.Sprintf("got error %v", err)
	})
}

// TestExistingStream checks that a stream that exists is used as it is, and that a stream
// without the subjects is an error with a remedy.
func TestExistingStream(t *testing.T) {
	b := start(t, nil)
	client := b.connect(t)
	if _, err := client.CreateStream(t.Context(), js.StreamConfig{Name: "OWN", Subjects: []string{"own.>"}, MaxMsgs: 5}); err != nil {
		t.Fatal(err)
	}
	c := jetstream.Config{Servers: []string{b.url()}, Stream: "OWN", Prefix: "own"}
	s := sink(t, c)
	defer s.Close()
	send(t, s, streamtest.Event("a", 1))
	own, err := client.Stream(t.Context(), "OWN")
	if err != nil || own.CachedInfo().Config.MaxMsgs != 5 || own.CachedInfo().State.Msgs != 1 {
		t.Errorf("got stream %+v and error %v, want one message, at most 5", own.CachedInfo(), err)
	}
	c.Prefix = "other"
	other := sink(t, c)
	defer other.Close()
	refused(t, other, "check that stream OWN has a leader and the subjects other.>")
}

// TestLimits checks that events are shortened to max_payload of the server and to the limit of the
// stream, and that an event that is still too large is one error with the limit, before anything is
// sent.
func TestLimits(t *testing.T) {
	large := streamtest.Event("a", 1)
	large.Data.Object.Labels = map[string]string{"large": strings.Repeat("v", 20<<10)}
	large.Data.Message = strings.Repeat("m", 20<<10)
	for name, c := range map[string]struct {
		payload, stream int32
		limit           string
	}{
		"server": {4 << 10, -1, ""}, "stream": {1 << 20, 4 << 10, ""},
		"small server": {900, -1, "max_payload of the server"}, "small stream": {1 << 20, 900, "the maximum message size of stream OWN"},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, func(o *server.Options) { o.MaxPayload = c.payload })
			s := sink(t, jetstream.Config{Servers: []string{b.url()}, Stream: "OWN", Prefix: "own"})
			defer s.Close()
			client := b.connect(t)
			if _, err := client.CreateStream(t.Context(), js.StreamConfig{Name: "OWN", Subjects: []string{"own.>"}, MaxMsgSize: c.stream}); err != nil {
				t.Fatal(err)
			}
			if c.limit == "" {
				send(t, s, large)
				return
			}
			patience.Until(t, "the event is refused", func() string {
				refusal := (*stream.TooLargeError)(nil)
				if err := s.Send(t.Context(), []stream.Event{large, streamtest.Event("b", 1)}); !errors.As(err, &refusal) || refusal.Limit != c.limit || refusal.Event.Key != "a" {
					return fmt.Sprintf("got error %v", err)
				}
				return ""
			})
			if info, err := client.Stream(t.Context(), "OWN"); err != nil || info.CachedInfo().State.Msgs != 0 {
				t.Errorf("got %d messages and error %v, want none", info.CachedInfo().State.Msgs, err)
			}
		})
	}
}

// TestNoSpace checks the remedy of servers without space.
func TestNoSpace(t *testing.T) {
	b := start(t, nil)
	if _, err := b.connect(t).CreateStream(t.Context(), js.StreamConfig{Name: "OWN", Subjects: []string{"own.>"}, MaxBytes: 2000, Discard: js.DiscardNew}); err != nil {
		t.Fatal(err)
	}
	s := sink(t, jetstream.Config{Servers: []string{b.url()}, Stream: "OWN", Prefix: "own"})
	defer s.Close()
	version := 0
	patience.Until(t, "the stream is full", func() string {
		version++
		err := s.Send(t.Context(), []stream.Event{streamtest.Event("a", version)})
		if err != nil && strings.Contains(err.Error(), "free space in the store of the servers") {
			return ""
		}
		return fmt.Sprintf("got error %v", err)
	})
}

// TestLogin checks each form of credentials, and that no error contains them.
func TestLogin(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	password := start(t, func(o *server.Options) { o.Username, o.Password = "vedette", "secret-1" })
	token := start(t, func(o *server.Options) { o.Authorization = "secret-2" })
	for _, c := range []struct {
		b        *broker
		text     string
		accepted bool
	}{
		{password, "vedette:secret-1\n", true},
		{password, "vedette:secret-3", false},
		{token, "secret-2", true},
		{token, "secret-4", false},
	} {
		s := sink(t, jetstream.Config{Servers: []string{c.b.url()}, Connection: stream.Connection{Credentials: file("login", c.text)}})
		if c.accepted {
			send(t, s, streamtest.Event("a", 1))
		} else {
			refused(t, s, "nats: ")
			if err := s.Send(t.Context(), nil); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got error %v, want one without the login", err)
			}
		}
		if strings.Contains(s.String(), "secret") {
			t.Errorf("the destination is %s, want it without the login", s)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoJetStream checks the error of a server without JetStream.
func TestNoJetStream(t *testing.T) {
	b := start(t, func(o *server.Options) { o.JetStream = false })
	s := b.Sink(t, stream.Binary)
	defer s.Close()
	refused(t, s, "--jetstream")
}

func TestParse(t *testing.T) {
	c, err := jetstream.Parse("nats://a,b:4000/JOBS?replicas=3&max-age=48h&prefix=x")
	if err != nil || fmt.Sprint(c.Servers) != "[nats://a:4222 nats://b:4000]" || c.Stream != "JOBS" || c.Replicas != 3 || c.MaxAge != 48*time.Hour || c.Prefix != "x" {
		t.Errorf("got %+v and error %v", c, err)
	}
	for text, want := range map[string]string{
		"localhost":               "not a URL",
		"http://h":                "want nats:// or tls://",
		"nats://u:secret@h":       "put user:password into the file",
		"nats://h/A?replica=3":    "did you mean replicas?",
		"nats://h/A?replicas=0":   "want a number from 1 to 5",
		"nats://h/A?max-age=week": "want a duration",
		"nats://h/a.b":            "name of the stream",
		"nats://h?prefix=a.>":     "prefix of subjects",
		"nats://,":                "has the host",
		"nats://h:port":           "has the host",
		"nats://h/A?%zz":          "parameters of the destination are invalid",
	} {
		if _, err := jetstream.Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got error %v, want %q", text, err, want)
		}
	}
}

// BenchmarkSend sends batches of 500 events of different objects.
func BenchmarkSend(b *testing.B) {
	o := server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: b.TempDir(), NoSigs: true, NoLog: true}
	srv, err := server.NewServer(&o)
	if err != nil {
		b.Fatal(err)
	}
	srv.Start()
	defer srv.WaitForShutdown()
	defer srv.Shutdown()
	if !srv.ReadyForConnections(30 * time.Second) {
		b.Fatal("the NATS server did not start within 30 s")
	}
	sink, err := jetstream.New(jetstream.Config{Servers: []string{srv.ClientURL()}})
	if err != nil {
		b.Fatal(err)
	}
	defer sink.Close()
	const batch = 500
	n := 0
	for b.Loop() {
		events := make([]stream.Event, batch)
		for i := range events {
			events[i] = streamtest.Event(fmt.Sprintf("5b1f8e0c-0000-4000-8000-%012d", i), n)
			n++
		}
		if err := sink.Send(b.Context(), events); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "events/s")
}
