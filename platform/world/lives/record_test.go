package lives_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// life is the life of one object, as the writes of its controller and its users.
type life struct {
	name   string
	source string // of the writes and the answer
	typ    string // "jobs.batch"
	object string // YAML without metadata and status
	writes []write
	gaps   [][2]int // seconds in which the type was not watched
	want   answer
}

// write is one write of the object, and how a recorder learns of it.
type write struct {
	at     int    // seconds after the creation
	fields string // YAML of other fields than the status, which stay; @5 is the instant in second 5
	status string // YAML
	how    how
}

type how int

const (
	watched  how = iota
	relisted     // by a list after a gap
	late         // by another recorder, after the writes that follow
	deleted      // the object is gone
	missed       // the object is gone; a list after a gap lacks it
)

// w is a write of the status that a watch reports.
func w(at int, status string) write { return write{at: at, status: status} }

// gone is the deletion of the object.
func gone(at int) write { return write{at: at, how: deleted} }

const (
	clusterUID = "uid-a"
	uid        = "uid-1"
	namespace  = "ml"
	name       = "train"
)

// instants matches instants in YAML.
var instants = regexp.MustCompile(`@(\d+)`)

func parse(t *testing.T, text string) (fields map[string]any) {
	t.Helper()
	text = instants.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(s[1:])
		return "'" + second(n).Format(time.RFC3339) + "'"
	})
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return fields
}

// merge sets fields within others.
func merge(to, from map[string]any) {
	for name, v := range from {
		inner, both := to[name].(map[string]any)
		if more, ok := v.(map[string]any); ok && both {
			merge(inner, more)
			continue
		}
		to[name] = v
	}
}

// record writes a life to an empty database as recorders do: a transaction for each write.
func (l *life) record(t *testing.T, db *sqldb.DB) {
	t.Helper()
	object := parse(t, l.object)
	merge(object, parse(t, fmt.Sprintf("metadata: {name: %s, namespace: %s, uid: %s, creationTimestamp: @0}", name, namespace, uid)))
	r := l.resource(object)
	p := observe.NewProjection(r, nil, nil)
	var scope model.Scope
	l.transact(t, db, func(tx *sqldb.Tx) (err error) {
		if scope.Cluster, err = model.EnsureCluster(t.Context(), tx, clusterUID, "a", created); err == nil {
			scope.Resource, err = model.EnsureResource(t.Context(), tx, model.Type{Group: r.Group, Resource: r.Name, Kind: r.Kind})
		}
		for _, g := range l.gaps {
			if err == nil {
				err = model.InsertGap(t.Context(), tx, scope, "recorder", model.Gap{Cause: "expired", From: 1, To: 2, FromAt: second(g[0]), ToAt: second(g[1])})
			}
		}
		return err
	})
	encoder := bodies.NewEncoder(scope.Resource, 1<<20)
	var postponed []observe.Observation
	for i := range l.writes {
		w := &l.writes[i]
		o := l.observe(t, p, object, w, wire.Version(10*(i+1)))
		if w.how == late {
			postponed = append(postponed, o)
			continue
		}
		l.write(t, db, scope, encoder, o)
	}
	l.write(t, db, scope, encoder, postponed...)
}

// resource returns the type of the object.
func (l *life) resource(object map[string]any) kube.Resource {
	resource, group := job.SplitType(l.typ)
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return kube.Resource{Group: group, Version: apiVersion[strings.LastIndex(apiVersion, "/")+1:], Name: resource, Kind: kind}
}

// observe returns the observation of a write, after which the object has its fields.
func (l *life) observe(t *testing.T, p *observe.Projection, object map[string]any, w *write, version wire.Version) observe.Observation {
	t.Helper()
	key := wire.Key{Namespace: namespace, Name: name}
	if w.how == missed {
		return observe.MissedDeletion(key, uid, version, version, second(w.at), model.Inferred)
	}
	merge(object, parse(t, w.fields))
	if w.how != deleted {
		object["status"] = parse(t, "status: {"+w.status+"}")["status"]
	}
	body, err := yaml.Marshal(object)
	if err == nil {
		body, err = yaml.YAMLToJSON(body)
	}
	if err != nil {
		t.Fatal(err)
	}
	kind, source := delta.Upsert, model.Watched
	switch w.how {
	case deleted:
		kind = delta.Delete
	case relisted:
		source = model.Relisted
	}
	d := delta.Delta{Kind: kind, Seen: second(w.at), Record: wire.Record{Key: key, UID: uid, Version: version, Encoding: wire.JSON, Body: body}}
	o, err := observe.Observe(p, &d, source)
	if err != nil || o.Invalid != nil {
		t.Fatalf("write at %d: %v, %v", w.at, err, o.Invalid)
	}
	return o
}

func (l *life) write(t *testing.T, db *sqldb.DB, scope model.Scope, encoder *bodies.Encoder, all ...observe.Observation) {
	t.Helper()
	if len(all) == 0 {
		return
	}
	l.transact(t, db, func(tx *sqldb.Tx) error {
		written, err := batch.Write(t.Context(), tx, scope, encoder, all)
		if err == nil {
			encoder.Commit(written.Bodies)
		}
		return err
	})
}

func (l *life) transact(t *testing.T, db *sqldb.DB, f func(*sqldb.Tx) error) {
	t.Helper()
	if err := db.Transact(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}
