package erase_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/erase"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// secret is text that only the erased job and its parts have.
const secret = "xyzzy7"

// fixture is a database with two jobs, of which one is erased.
type fixture struct {
	*testing.T
	*modeltest.Database
	url      string
	scopes   map[string]model.Scope // by kind
	encoders map[string]*bodies.Encoder
	version  wire.Version
}

func open(t *testing.T, url string) *fixture {
	f := &fixture{T: t, Database: modeltest.Open(t, url), url: url, scopes: map[string]model.Scope{}, encoders: map[string]*bodies.Encoder{}}
	for kind, of := range map[string]model.Type{
		"Job": {Group: "batch", Resource: "jobs", Kind: "Job"}, "Pod": {Resource: "pods", Kind: "Pod"}, "Event": {Resource: "events", Kind: "Event"},
	} {
		s := f.Scope
		f.do(func(ctx context.Context, tx *sqldb.Tx) (err error) {
			s.Resource, err = model.EnsureResource(ctx, tx, of)
			return err
		})
		f.scopes[kind], f.encoders[kind] = s, bodies.NewEncoder(s.Resource, 1<<20)
	}
	return f
}

func (f *fixture) do(run func(ctx context.Context, tx *sqldb.Tx) error) {
	f.Helper()
	if err := f.Transact(f.Context(), func(tx *sqldb.Tx) error { return run(f.Context(), tx) }); err != nil {
		f.Fatal(err)
	}
}

// object is an object of the test. text is in each of its fields.
type object struct{ kind, name, uid, text, owner, about string }

// body returns the body of an object.
func (o *object) body(version wire.Version) []byte {
	involved := ""
	if o.about != "" {
		involved = fmt.Sprintf(`"involvedObject":{"uid":%q},"message":%q,`, o.about, o.text)
	}
	return fmt.Appendf(nil, `{"kind":%q,"metadata":{"name":%q,"uid":%q,"resourceVersion":"%d","annotations":{"note":%q}},%s`+
		`"spec":{"containers":[{"env":[{"name":"TOKEN","value":"v-%s"}],"image":"registry.example.com/train:17"}],"%s":1}}`,
		o.kind, o.name, o.uid, version, o.text, involved, o.text, o.uid)
}

// write writes one revision of each of some objects in one batch for each kind.
func (f *fixture) write(state job.State, all ...object) {
	f.Helper()
	for _, kind := range []string{"Job", "Pod", "Event"} {
		var some []observe.Observation
		for _, o := range all {
			if o.kind != kind {
				continue
			}
			f.version++
			at := time.Unix(1_772_000_000+int64(f.version), 0)
			n := observe.Observation{
				UID: o.uid, Name: o.name, Namespace: "ml", Version: f.version, Source: model.Watched, Seen: at, Created: at.Add(-time.Hour), Body: o.body(f.version), Pod: kind == "Pod",
				Status: job.Status{State: state, Raw: "raw " + o.text, Reason: o.text, Message: "ended: " + o.text}, Deleted: state == job.Deleted, Labels: map[string]string{"team": o.text},
			}
			if kind == "Job" {
				n.OfJob, n.Facts = true, &job.Facts{Priority: o.text}
			}
			if o.owner != "" {
				n.Owner = model.Owner{UID: o.owner, Kind: "Job", Name: o.text}
			}
			some = append(some, n)
		}
		if len(some) == 0 {
			continue
		}
		var w batch.Written
		f.do(func(ctx context.Context, tx *sqldb.Tx) (err error) {
			w, err = batch.Write(ctx, tx, f.scopes[kind], f.encoders[kind], some)
			return err
		})
		f.encoders[kind].Commit(w.Bodies)
	}
}

// id returns the row ID of an object.
func (f *fixture) id(uid string) (id int64) {
	f.Helper()
	if err := f.QueryRow(f.Context(), "SELECT id FROM objects WHERE uid = ?", uid).Scan(&id); err != nil {
		f.Fatalf("object %s: %v", uid, err)
	}
	return id
}

// erase erases an object.
func (f *fixture) erase(uid string) *erase.Plan {
	f.Helper()
	p, err := erase.Find(f.Context(), f.DB, f.id(uid))
	if err != nil {
		f.Fatal(err)
	}
	scrubbed, err := erase.Run(f.Context(), erase.Config{DB: f.DB, By: "ann"}, p)
	if err != nil || scrubbed != strings.HasPrefix(f.url, "sqlite:") {
		f.Fatalf("scrubbed %v, error %v", scrubbed, err)
	}
	return p
}

// The objects of the job to erase, and those of another one.
var (
	doomed  = object{kind: "Job", name: "train-" + secret, uid: "uid-doomed", text: secret}
	pod     = object{kind: "Pod", name: "train-" + secret + "-0", uid: "uid-pod", text: secret, owner: "uid-doomed"}
	event   = object{kind: "Event", name: "e1", uid: "uid-event", text: secret, about: "uid-pod"}
	other   = object{kind: "Job", name: "eval", uid: "uid-other", text: "plain"}
	another = object{kind: "Event", name: "e2", uid: "uid-event-2", text: "plain", about: "uid-other"}
)

// fill writes the jobs, so many other pods that a dictionary has the body of the pod to erase, and
// everything else that may have the secret.
func (f *fixture) fill() {
	all := []object{doomed, other, pod, event, another}
	for i := range 60 {
		all = append(all, object{kind: "Pod", name: fmt.Sprint("eval-", i), uid: fmt.Sprint("uid-eval-", i), text: fmt.Sprint("plain ", i*i*7919), owner: "uid-other"})
	}
	f.write(job.Running, all...)
	f.write(job.Failed, doomed, pod, other)
	f.write(job.Deleted, doomed, pod)
	s := joblog.New(f.DB, joblog.Limits{}, nil)
	lines := []joblog.Line{{Time: time.Unix(1_772_000_000, 0), Text: "log " + secret}}
	for _, l := range []joblog.Log{
		{ClusterUID: "uid-a", PodUID: "uid-pod", Pod: pod.name, JobUID: "uid-doomed", JobName: doomed.name, Container: "main", Reason: secret},
		{ClusterUID: "uid-a", PodUID: "uid-eval-1", Pod: "eval-1", JobUID: "uid-other", Container: "main"},
	} {
		if err := s.Put(f.Context(), l, lines[:1]); err != nil {
			f.Fatal(err)
		}
		lines = []joblog.Line{{Time: time.Unix(1_772_000_000, 0), Text: "plain"}}
	}
	about, plain := f.id("uid-doomed"), f.id("uid-other")
	f.do(func(ctx context.Context, tx *sqldb.Tx) error {
		message := func(id int64, text string) delivery.Delivery {
			return delivery.Delivery{Key: "key " + text, Kind: "Failed", Rule: "r", Channel: "hook", Receiver: "to", Object: id, Event: []byte(text)}
		}
		if _, err := delivery.Create(ctx, tx, []delivery.Delivery{message(about, secret), message(about, secret+" 2"), message(plain, "plain")}); err != nil {
			return err
		}
		for key, items := range map[string][]delivery.Item{
			"both": {{Key: "a", Object: about, Event: []byte(secret)}, {Key: "b", Object: plain, Event: []byte("plain")}}, "one": {{Key: "a", Object: about, Event: []byte(secret)}},
		} {
			d := delivery.Delivery{Key: key, Kind: "Digest", Channel: "hook", Receiver: "to " + key, NextAt: tx.Now().Add(time.Hour)}
			if err := delivery.AppendDigest(ctx, tx, d, items); err != nil {
				return err
			}
		}
		for _, table := range []string{"mutes", "subscriptions"} {
			columns, row := []string{"content_hash", "person", "channel", "receiver", "object_id", "rule_name", "digests", "until_at", "created_at", "created_by"},
				[]any{make([]byte, 16), "ann", "", "", about, secret, int16(0), int64(0), int64(0), "ann"}
			if table == "subscriptions" {
				columns, row = []string{"content_hash", "person", "cluster", "object_type", "namespace", "name", "uid", "labels", "states", "channel", "address", "created_at", "created_by", "verified_at", "code_hash", "code_until", "tries", "muted_until"},
					[]any{make([]byte, 16), "ann", "a", "jobs.batch", "ml", doomed.name, "uid-doomed", "", "", "hook", "x", int64(0), "ann", int64(0), make([]byte, 16), int64(0), int16(0), int64(0)}
			}
			if err := tx.Insert(ctx, table, columns, [][]any{row}); err != nil {
				return err
			}
		}
		return model.InsertGap(ctx, tx, f.scopes["Pod"], "r", model.Gap{Cause: model.CauseRefused, Detail: "ml/" + pod.name + ", 9 bytes, is left out: " + secret})
	})
	at := time.Unix(1_772_000_000, 0)
	for _, e := range []api.AuditEntry{
		{At: at, Act: "stop", Object: "ml/" + doomed.name, Job: &api.JobRef{Namespace: "ml", Name: doomed.name, UID: "uid-doomed"}, Detail: "because " + secret},
		{At: at, Act: "submit", Object: "ml/train-", Job: &api.JobRef{Namespace: "ml", Name: "train-"}, Detail: "created " + doomed.name + " uid-doomed"},
		{At: at, Act: "subscribe", Object: "ml/" + doomed.name, Detail: secret},
		{At: at, Act: "stop", Object: "ml/eval", Job: &api.JobRef{Namespace: "ml", Name: "eval", UID: "uid-other"}, Detail: "plain"},
	} {
		if err := audit.Write(f.Context(), f.DB, e); err != nil {
			f.Fatal(err)
		}
	}
}

// TestErase erases a job. No table has anything of it, decoded or not; the file of an SQLite
// database does not either. The other job, whose pods shared a dictionary with it, is unchanged.
func TestErase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		f := open(t, url)
		f.fill()
		if _, err := feed.Sequence(t.Context(), f.DB); err != nil {
			t.Fatal(err)
		}
		if len(f.places()) < 12 {
			t.Errorf("before: the secret is in %q only", f.places())
		}
		f.Want("SELECT COUNT(*) FROM dictionaries d JOIN resources r ON r.id = d.resource_id WHERE r.name = 'pods'", "1")
		want := f.rest()
		p := f.erase("uid-doomed")
		if p.Objects() != 3 {
			t.Errorf("erased %d objects, want 3: %s", p.Objects(), p)
		}
		if places := f.places(); len(places) > 0 {
			t.Errorf("after: the secret is in %q", places)
		}
		if got := f.rest(); !slices.Equal(got, want) {
			t.Errorf("the rest\n got %q\nwant %q", got, want)
		}
		f.Want("SELECT act, object, uid, person FROM portal_audit WHERE act = 'erase'", "erase jobs.batch uid-doomed ann")
		f.Want("SELECT key_text FROM deliveries ORDER BY key_text", "both", "key plain")
		f.Want("SELECT uid FROM erased_objects ORDER BY uid", "uid-doomed", "uid-event", "uid-pod")
		if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
			for _, name := range []string{file, file + "-wal"} {
				if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(secret)) {
					t.Errorf("%s contains the secret", name)
				}
			}
		}
	})
}

// TestErasedStaysAway: no recorder stores an erased job again, or a part of it that was never
// recorded, from a spill or a list. No log and no message about it is stored, and no dictionary is
// trained on it. Readers of the feed that were behind skip the job.
func TestErasedStaysAway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		f := open(t, url)
		f.fill()
		about := f.id("uid-doomed")
		f.erase("uid-doomed")
		late := object{kind: "Pod", name: "late-" + secret, uid: "uid-late", text: secret, owner: "uid-doomed"}
		below := object{kind: "Pod", name: "below-" + secret, uid: "uid-below", text: secret, owner: "uid-late"}
		f.write(job.Running, doomed, late)
		f.write(job.Running, doomed, late, below, other)
		var more []object
		for i := range 5 { // the dictionary that the encoder of pods had was retired
			more = append(more, object{kind: "Pod", name: fmt.Sprint("next-", i), uid: fmt.Sprint("uid-next-", i), text: "plain", owner: "uid-other"})
		}
		for i := range 60 {
			more = append(more, object{kind: "Job", name: fmt.Sprint("more-", i), uid: fmt.Sprint("uid-more-", i), text: fmt.Sprint("plain ", i*i*104729)})
		}
		f.write(job.Running, more...)
		l := joblog.Log{ClusterUID: "uid-a", PodUID: "uid-pod", Pod: pod.name, Container: "main", Restart: 3}
		if err := joblog.New(f.DB, joblog.Limits{}, nil).Put(t.Context(), l, []joblog.Line{{Time: time.Unix(1, 0), Text: secret}}); err != nil {
			t.Fatal(err)
		}
		f.do(func(ctx context.Context, tx *sqldb.Tx) error {
			if _, err := delivery.Create(ctx, tx, []delivery.Delivery{{Key: "late", Kind: "Failed", Channel: "hook", Object: about, Event: []byte(secret)}}); err != nil {
				return err
			}
			d := delivery.Delivery{Key: "late digest", Kind: "Digest", Channel: "hook", NextAt: tx.Now()}
			return delivery.AppendDigest(ctx, tx, d, []delivery.Item{{Key: "a", Object: about, Event: []byte(secret)}})
		})
		if places := f.places(); len(places) > 0 {
			t.Errorf("the secret is in %q", places)
		}
		f.Want("SELECT COUNT(*) FROM objects WHERE uid LIKE 'uid-more-%' OR uid LIKE 'uid-next-%'", "65")
		f.Want("SELECT COUNT(*) FROM revisions r JOIN objects o ON o.id = r.object_id WHERE o.uid LIKE 'uid-next-%' AND r.dictionary_id = 0", "0")
		f.Want("SELECT COUNT(*) FROM dictionaries d JOIN resources r ON r.id = d.resource_id WHERE r.name = 'jobs'", "1")
		seen := 0
		if _, err := feed.Sequence(t.Context(), f.DB); err != nil {
			t.Fatal(err)
		}
		for tr, err := range feed.Read(t.Context(), f.DB, 0) {
			if err != nil || strings.Contains(fmt.Sprint(tr), secret) {
				t.Fatalf("the feed has %v, error %v", tr, err)
			}
			seen++
		}
		if seen < 120 {
			t.Errorf("the feed has %d transitions, want those of the other objects", seen)
		}
	})
}

// TestIndexDropsErased: an index that follows the feed reports that the job is removed, at a
// position of the feed, without waiting for its comparison with the database.
func TestIndexDropsErased(t *testing.T) {
	f := open(t, dbtest.Empty(t, "sqlite"))
	f.fill()
	removed := make(chan jobindex.Change, 10)
	x := jobindex.New(jobindex.Config{DB: f.DB, Changed: func(all []jobindex.Change) {
		for _, c := range all {
			if c.Removed {
				removed <- c
			}
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	patience.Closed(t, "the index is ready", x.Ready())
	before := x.Position()
	f.erase("uid-doomed")
	if _, err := feed.Sequence(t.Context(), f.DB); err != nil {
		t.Fatal(err)
	}
	if c := patience.Receive(t, "removal", removed); c.Row.UID != "uid-doomed" || c.Position <= before {
		t.Errorf("got %+v, want that uid-doomed is removed after position %d", c, before)
	}
	cancel()
	patience.Receive(t, "end", ended)
}

// TestExisting: an object that exists, or whose pod exists, is not erased.
func TestExisting(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		f := open(t, url)
		f.write(job.Running, doomed, pod)
		f.write(job.Deleted, doomed)
		for _, uid := range []string{"uid-pod", "uid-doomed"} {
			if _, err := erase.Find(t.Context(), f.DB, f.id(uid)); !errors.Is(err, erase.ErrExists) || !strings.Contains(err.Error(), pod.name) {
				t.Errorf("%s: got %v, want %v of the pod", uid, err, erase.ErrExists)
			}
		}
		if _, err := erase.Find(t.Context(), f.DB, 4711); !errors.Is(err, erase.ErrGone) {
			t.Errorf("got %v, want %v", err, erase.ErrGone)
		}
	})
}

// rest returns what the readers show of the other job, its pods and its event.
func (f *fixture) rest() (all []string) {
	f.Helper()
	for _, row := range f.Rows("SELECT o.uid, r.version FROM objects o JOIN revisions r ON r.object_id = o.id WHERE o.uid NOT IN ('uid-doomed', 'uid-pod', 'uid-event') ORDER BY o.uid, r.version") {
		var uid string
		var version wire.Version
		if _, err := fmt.Sscan(row, &uid, &version); err != nil {
			f.Fatal(err)
		}
		body, err := f.Body(f.Context(), uid, version)
		if err != nil {
			f.Errorf("%s at %v: %v", uid, version, err)
		}
		all = append(all, row+" "+string(body))
	}
	for _, query := range []string{
		"SELECT o.uid, l.name, l.value FROM labels l JOIN objects o ON o.id = l.object_id WHERE l.value LIKE 'plain%' ORDER BY o.uid",
		"SELECT o.uid, t.to_state, t.message FROM transitions t JOIN objects o ON o.id = t.object_id WHERE t.message LIKE '%plain%' ORDER BY o.uid, t.version",
		"SELECT COUNT(*) FROM job_parts p JOIN objects o ON o.id = p.job_id WHERE o.uid = 'uid-other'", "SELECT pod FROM kept_logs WHERE pod = 'eval-1'",
		"SELECT act, object, detail FROM portal_audit WHERE uid = 'uid-other'", "SELECT COUNT(*) FROM " + model.IndexTable + " i JOIN objects o ON o.id = i.object_id WHERE o.name LIKE 'eval%'",
	} {
		all = append(all, f.Rows(query)...)
	}
	return all
}

// places returns the columns that contain the secret: every column of every table of the schema,
// each body and each kept log also decoded, and the rows that refer to an object without a row.
func (f *fixture) places() []string {
	f.Helper()
	found := map[string]bool{}
	for _, table := range f.tables() {
		err := f.Query(f.Context(), "SELECT * FROM "+table, nil, func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			cells, targets := make([]any, len(columns)), make([]any, len(columns))
			for i := range cells {
				targets[i] = &cells[i]
			}
			if err := rows.Scan(targets...); err != nil {
				return err
			}
			for i, c := range cells {
				text, ok := c.([]byte)
				if !ok {
					text = fmt.Append(nil, c)
				}
				if bytes.Contains(text, []byte(secret)) {
					found[table+"."+columns[i]] = true
				}
			}
			return nil
		})
		if err != nil {
			f.Fatalf("table %s: %v", table, err)
		}
	}
	for _, row := range f.Rows("SELECT o.uid, r.version FROM objects o JOIN revisions r ON r.object_id = o.id") {
		uid, version, _ := strings.Cut(row, " ")
		var v wire.Version
		if _, err := fmt.Sscan(version, &v); err != nil {
			f.Fatal(err)
		}
		body, err := f.Body(f.Context(), uid, v)
		if err != nil {
			f.Errorf("%s at %v: %v", uid, v, err)
		}
		if bytes.Contains(body, []byte(secret)) {
			found["bodies"] = true
		}
	}
	s := joblog.New(f.DB, joblog.Limits{}, nil)
	logs, err := s.Of(f.Context(), joblog.Selection{UIDs: []string{"uid-doomed", "uid-pod", "uid-other", "uid-eval-1"}})
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range logs {
		for line, err := range s.Lines(f.Context(), l) {
			if err != nil {
				f.Fatal(err)
			}
			if strings.Contains(line.Text, secret) {
				found["lines"] = true
			}
		}
	}
	for _, table := range []string{"jobs", "job_parts", "open_parts", "revisions", "transitions", "labels", model.IndexTable, "deliveries", "digest_items", "notify_timers", "mutes"} {
		n := f.Rows("SELECT COUNT(*) FROM " + table + " WHERE object_id <> 0 AND object_id NOT IN (SELECT id FROM objects)")[0]
		if n != "0" {
			found[table+" without object"] = true
		}
	}
	if n := f.Rows("SELECT COUNT(*) FROM kept_log_chunks WHERE log_id NOT IN (SELECT id FROM kept_logs)")[0]; n != "0" {
		found["kept_log_chunks without log"] = true
	}
	var all []string
	for place := range found {
		all = append(all, place)
	}
	slices.Sort(all)
	return all
}

// tables returns the tables and views of the catalog.
func (f *fixture) tables() []string {
	switch scheme, _, _ := strings.Cut(f.url, ":"); scheme {
	case "sqlite":
		return f.Rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
	case "postgres":
		return f.Rows("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")
	}
	return f.Rows("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")
}
