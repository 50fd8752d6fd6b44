package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/vedette-io/vedette/internal/patience"
)

// natsServer is a NATS server in the process.
type natsServer struct {
	t       *testing.T
	options server.Options
	s       *server.Server
}

func newNATSServer(t *testing.T) *natsServer {
	t.Helper()
	n := &natsServer{t: t, options: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}}
	n.start()
	n.options.Port = n.s.Addr().(*net.TCPAddr).Port
	t.Cleanup(n.stop)
	return n
}

func (n *natsServer) start() {
	n.t.Helper()
	o := n.options
	var err error
	if n.s, err = server.NewServer(&o); err != nil {
		n.t.Fatal(err)
	}
	n.s.Start()
	if !n.s.ReadyForConnections(patience.Limit(n.t)) {
		n.t.Fatal("the NATS server did not start")
	}
}

func (n *natsServer) stop() {
	n.s.Shutdown()
	n.s.WaitForShutdown()
}

func (n *natsServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.options.Port) }

// await waits until the stream has a number of messages, and returns their subjects.
func (n *natsServer) await(count int) (subjects []string) {
	n.t.Helper()
	conn, err := nats.Connect(n.url(), nats.MaxReconnects(-1))
	if err != nil {
		n.t.Fatal(err)
	}
	defer conn.Close()
	client, err := jetstream.New(conn)
	if err != nil {
		n.t.Fatal(err)
	}
	patience.Until(n.t, fmt.Sprintf("the stream has %d messages", count), func() string {
		s, err := client.Stream(n.t.Context(), "VEDETTE")
		switch {
		case err != nil:
			return err.Error()
		case int(s.CachedInfo().State.Msgs) < count:
			return fmt.Sprintf("it has %d", s.CachedInfo().State.Msgs)
		default:
			for seq := range s.CachedInfo().State.LastSeq {
				m, err := s.GetMsg(n.t.Context(), seq+1)
				if err != nil {
					n.t.Fatal(err)
				}
				subjects = append(subjects, m.Subject)
			}
			return ""
		}
	})
	return subjects
}

// TestStream sends the history of an archive, then what is recorded meanwhile, across an
// outage of the broker. Sending it once more adds nothing.
func TestStream(t *testing.T) {
	r := newArchive(t)
	n := newNATSServer(t)
	p := start(t, "stream", "--to", n.url(), "--db", r.db, "--types", "pods", "--listen", "127.0.0.1:0")
	first := n.await(7)
	for _, want := range []string{".ml.pods.Running", ".ml.pods.Failed", ".ml.pods.Deleted", ".web.pods.Queued"} {
		if !strings.Contains(strings.Join(first, " "), want) {
			t.Errorf("%s is not in %q", want, first)
		}
	}
	get := func(path string) string {
		t.Helper()
		_, rest, ok := strings.Cut(p.err.String(), "http://")
		if !ok {
			t.Fatalf("the address is not in %s", p.err)
		}
		return fetch(t, "http://"+strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == ' ' || r == '\n' })[0]+path)
	}
	if got, want := get("/metrics"), fmt.Sprintf("vedette_stream_events_total %d", len(first)); !strings.Contains(got, want) {
		t.Errorf("%s is not in the metrics:\n%s", want, got)
	}
	n.stop()
	stop := r.start()
	r.srv.create(newPod("ml", "next"))
	r.until("next", 1)
	p.err.holds(t, "cannot consume the feed")
	if got := get("/readyz"); !strings.Contains(got, "the broker has refused events since") {
		t.Errorf("/readyz is %q, want the fault", got)
	}
	n.start()
	more := n.await(len(first) + 1)
	stop()
	p.interrupt()

	if _, errs, code := runOnce(t, "stream", "reset", "--from", "now", "--cursor", "x", "--db", r.db); code != 1 || !strings.Contains(errs, `no stream named "x" has run on this database`) {
		t.Errorf("reset of an unknown stream: exit code %d, said %s", code, errs)
	}
	_, errs, code := runOnce(t, "stream", "reset", "--from", "oldest", "--db", r.db)
	if code != 0 || !strings.Contains(errs, "continues with the oldest transition") {
		t.Errorf("reset: exit code %d, said %s", code, errs)
	}
	if _, errs, code := runOnce(t, "stream", "divide", "3", "--db", r.db); code != 0 || errs != "3 partitions; one replica at a time holds each\n" {
		t.Errorf("divide: exit code %d, said %s", code, errs)
	}
	if _, errs, code := runOnce(t, "stream", "divide", "3", "--cursor", "x", "--db", r.db); code != 1 || !strings.Contains(errs, `no stream named "x" has run on this database`) {
		t.Errorf("division of an unknown stream: exit code %d, said %s", code, errs)
	}
	if _, errs, code := runOnce(t, "stream", "divide", "100", "--db", r.db); code != 1 || !strings.Contains(errs, `the number of partitions is "100": want 1 to 64`) {
		t.Errorf("too many partitions: exit code %d, said %s", code, errs)
	}
	again := start(t, "stream", "--to", n.url(), "--db", r.db)
	r2 := n.await(len(more) + 1) // the namespaces
	again.interrupt()
	_, errs, code = runOnce(t, "stream", "backfill", "--to", n.url(), "--since", "1h", "--db", r.db)
	if code != 0 || !strings.Contains(errs, fmt.Sprintf("sent %d events", len(r2))) {
		t.Errorf("backfill: exit code %d, said %s; want %d events", code, errs, len(r2))
	}
	if got := n.await(len(r2)); len(got) != len(r2) {
		t.Errorf("the stream has %d messages after the repetition, want %d", len(got), len(r2))
	}
	_, errs, code = runOnce(t, "stream", "reset", "--from", "now", "--db", r.db)
	if code != 0 || !strings.Contains(errs, "continues from now") {
		t.Errorf("reset: exit code %d, said %s", code, errs)
	}
}

// fetch returns the body of an answer, with any status.
func fetch(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	var text strings.Builder
	if err := answer.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// runOnce runs a command to its end.
func runOnce(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	p := start(t, args...)
	code = p.end()
	return p.out.String(), p.err.String(), code
}

// TestStreamSchema checks that the schema is JSON.
func TestStreamSchema(t *testing.T) {
	t.Parallel()
	out, errs, code := runOnce(t, "stream", "schema")
	if code != 0 || errs != "" || !json.Valid([]byte(out)) {
		t.Errorf("exit code %d, said %q, printed %q", code, errs, out)
	}
}

// TestStreamMistakes checks that bad input is an error that says what to do, without secrets.
func TestStreamMistakes(t *testing.T) {
	t.Parallel()
	empty := file(t, "login", "\n")
	word := file(t, "login", "geheim")
	for _, c := range []struct{ args, want string }{
		{"stream", "no destination is named: use --to nats://"},
		{"stream --to localhost", "the destination is not a URL: want nats://"},
		{"stream --to http://h", "the destination is unknown: want nats://"},
		{"stream --to nats://u:geheim@h", "the destination has a user: put user:password into the file"},
		{"stream --to nats://h?replica=3", `the parameter "replica" is unknown: did you mean replicas?`},
		{"stream --to nats://h?replicas=99", `replicas is "99": want a number from 1 to 5`},
		{"stream --to nats://h/a.b", `the name of the stream is "a.b"`},
		{"stream --to kafka://h/a/b", `the name of the topic is "a/b"`},
		{"stream --to kafka://h?sasl=gssapi", `sasl is "gssapi": want scram-sha-512`},
		{"stream --to nats://h --mode xml", `--mode: the mode is "xml": want binary or structured`},
		{"stream --to nats://h --from never", `--from is "never": want oldest or now`},
		{"stream --to nats://h --credentials /nowhere", "credentials: open /nowhere"},
		{"stream --to nats://h --credentials " + empty, "is empty"},
		{"stream --to kafka://h --credentials " + word, "credentials: want one line user:password"},
		{"stream --to kafka+tls://h --ca " + word, "has no certificate in PEM"},
		{"stream --to nats://h --cert " + word, "must be set together"},
		{"stream --to nats://h", "no database is named: use --db"},
		{"stream --to nats://h --fail-fast --db sqlite:DIR/none/h.db", "DIR/none/h.db: the file does not exist"},
		{"stream backfill --to nats://h --db sqlite:DIR/h.db", "--since is missing"},
		{"stream backfill --to nats://h --since tomorrow --db sqlite:DIR/h.db", "--since: "},
		{"stream reset --db sqlite:DIR/h.db", `--from is "": want oldest or now`},
	} {
		dir := t.TempDir()
		replace := strings.NewReplacer("DIR", dir)
		_, errs, code := runOnce(t, strings.Fields(replace.Replace(c.args))...)
		if code != 1 || !strings.Contains(errs, replace.Replace(c.want)) || strings.Contains(errs, "geheim") {
			t.Errorf("%s: exit code %d, said %q, want 1 and %q", c.args, code, errs, replace.Replace(c.want))
		}
	}
}

// streams runs the commands of streams with hostile text in the database and in flags.
func (h *hostile) streams(t *testing.T) {
	n := newNATSServer(t)
	p := start(t, "stream", "--to", n.url(), "--db", h.db)
	n.await(1)
	p.interrupt()
	prints(t, "stream", p.out.String()+p.err.String())
	for _, args := range [][]string{
		{"stream", "backfill", "--to", n.url(), "--since", "2000-01-01"},
		{"stream", "backfill", "--to", n.url(), "--since", evil},
		{"stream", "backfill", "--to", n.url(), "--since", "1h", "--until", evil},
		{"stream", "backfill", "--to", n.url(), "--since", "1h", "--cluster", evil, "-n", evil},
		{"stream", "reset", "--from", "oldest"},
		{"stream", "reset", "--from", evil},
		{"stream", "reset", "--from", "now", "--cursor", evil},
		{"stream", "divide", evil},
		{"stream", "divide", "2", "--cursor", evil},
		{"stream", "--to", evil},
		{"stream", "--to", "nats://" + evil},
		{"stream", "--to", "nats://h/" + evil},
		{"stream", "--to", "kafka://h/" + evil},
		{"stream", "--to", "nats://h?" + evil + "=1"},
		{"stream", "--to", "nats://h", "--mode", evil},
		{"stream", "--to", "nats://h", "--credentials", evil},
		{"stream", "--to", "nats://h", "--ca", evil},
		{"stream", "--to", "nats://h", "--from", evil},
		{"stream", "--to", "nats://h", "--cursor", strings.Repeat(evil, 10)},
	} {
		h.run(append(args, "--db", h.db)...)
	}
	h.run("stream", "schema")
	h.run("stream", "schema", evil)
}
