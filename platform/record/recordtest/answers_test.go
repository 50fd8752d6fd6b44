package recordtest_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// answers are the answers of a version about a history. The names are those of the files
// in testdata: they do not follow the API.
type answers struct {
	Types       []history.Type
	Objects     []answerObject
	Transitions []answerTransition
	Revisions   []answerRevision
	Gaps        []answerGap
	Searches    []answerSearch
	Stats       []answerStats
	Index       []string // rows of the transition index
}

type answerObject struct {
	ID                                         int64
	Cluster, ClusterUID, Group, Resource, Kind string
	Namespace, Name, UID                       string
	Created, Seen, Gone                        int64
	Version                                    uint64
	State, Raw, Reason, Message                string
	Since                                      int64
	Queue, Submitter                           string
	OwnerUID, OwnerKind, OwnerName             string
	Presence                                   string
}

type answerTransition struct {
	Object                                    int64
	Version                                   uint64
	From, To, FromRaw, ToRaw, Reason, Message string
	Happened, Seen, Ended                     int64
	Source                                    int
}

type answerRevision struct {
	Object     int64
	Version    uint64
	Deleted    bool
	Source     int
	Seen       int64
	State, Raw string
	Body       string // the first half of its SHA-256; "none" if it was removed, "empty" if it was not observed
	Began      uint64 // when the state began
}

type answerGap struct {
	ID                                                                     int64
	Cluster, ClusterUID, Group, Resource, Kind, Namespace, Recorder, Cause string
	From, To                                                               uint64
	Began, Ended                                                           int64
	Detail                                                                 string
	Healed                                                                 int64
}

type answerSearch struct {
	Filter      answerFilter
	Objects     []int64
	Transitions []string // object/version
}

type answerFilter struct {
	Cluster                        string
	Types                          []string // resource.group
	Namespace, Queue, Submitter    string
	OwnerUID, OwnerKind, OwnerName string
	Labels                         map[string]string
	States                         []string
	Since, Until                   int64
}

type answerStats struct {
	Filter answerFilter
	Now    int64
	Types  []history.TypeStats // not recorded
}

func readAnswers(t *testing.T) (a answers) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recorded, "answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// compareAnswers repeats all questions of recorded answers with this version.
func compareAnswers(t *testing.T, d *sqldb.DB, want answers) {
	t.Helper()
	types, err := history.New(d).Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "type", types, want.Types)
	objects := askObjects(t, d, history.Filter{})
	same(t, "object", objects, want.Objects)
	same(t, "transition", askTransitions(t, d, history.Filter{}), want.Transitions)
	same(t, "revision", askRevisions(t, d, objects), want.Revisions)
	same(t, "gap", askGaps(t, d), want.Gaps)
	for _, s := range want.Searches {
		got := answerSearch{Filter: s.Filter}
		for _, o := range askObjects(t, d, s.Filter.filter()) {
			got.Objects = append(got.Objects, o.ID)
		}
		for _, c := range askTransitions(t, d, s.Filter.filter()) {
			got.Transitions = append(got.Transitions, fmt.Sprintf("%d/%d", c.Object, c.Version))
		}
		same(t, "search", []answerSearch{got}, []answerSearch{s})
	}
}

// askStats returns the statistics that recorded questions ask for. Their answers are not recorded,
// because what counts as a wait changes with the program.
func askStats(t *testing.T, d *sqldb.DB, questions []answerStats) (all []answerStats) {
	t.Helper()
	for _, s := range questions {
		var err error
		if s.Types, err = history.New(d).Stats(t.Context(), s.Filter.filter(), time.UnixMicro(s.Now), nil); err != nil || len(s.Types) == 0 {
			t.Fatalf("got statistics %+v and error %v", s.Types, err)
		}
		all = append(all, s)
	}
	return all
}

// same compares items one by one, for readable messages.
func same[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d of the kind %q, want %d", len(got), what, len(want))
	}
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("%s:\n got %+v\nwant %+v", what, got[i], want[i])
		}
	}
}

func (f *answerFilter) filter() history.Filter {
	out := history.Filter{
		Cluster: f.Cluster, Namespace: f.Namespace, Queue: f.Queue, Submitter: f.Submitter, Owner: history.Owner{Kind: f.OwnerKind, Name: f.OwnerName, UID: f.OwnerUID},
	}
	for _, t := range f.Types {
		resource, group, _ := strings.Cut(t, ".")
		out.Types = append(out.Types, history.Type{Resource: resource, Group: group})
	}
	if len(f.Labels) > 0 {
		out.Labels = labels.SelectorFromSet(f.Labels)
	}
	for _, s := range f.States {
		out.States = append(out.States, job.State(s))
	}
	if f.Since != 0 {
		out.Since = time.UnixMicro(f.Since)
	}
	if f.Until != 0 {
		out.Until = time.UnixMicro(f.Until)
	}
	return out
}

func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// presenceNames are the words of the recorded answers.
var presenceNames = map[history.Presence]string{history.Present: "there", history.Deleted: "deleted", history.Unknown: "unknown", history.Unselected: "left"}

// everything reads all pages, oldest first.
func everything[T any](t *testing.T, list func(context.Context, history.Paging) (history.Page[T], error)) (all []T) {
	t.Helper()
	for item, err := range history.All(t.Context(), history.Paging{Limit: 50, Order: history.OldestFirst}, list) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item)
	}
	return all
}

func askObjects(t *testing.T, d *sqldb.DB, f history.Filter) (all []answerObject) {
	t.Helper()
	for _, o := range everything(t, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return history.New(d).ListObjects(ctx, f, p)
	}) {
		all = append(all, answerObject{
			o.ID, o.Cluster, o.ClusterUID, o.Type.Group, o.Type.Resource, o.Type.Kind, o.Namespace, o.Name, o.UID, micros(o.Created), micros(o.Seen), micros(o.Gone), uint64(o.Version),
			o.State, o.Raw, o.Reason, o.Message, micros(o.Since), o.Queue, o.Submitter, o.Owner.UID, o.Owner.Kind, o.Owner.Name, presenceNames[o.Presence],
		})
	}
	return all
}

func askTransitions(t *testing.T, d *sqldb.DB, f history.Filter) (all []answerTransition) {
	t.Helper()
	for _, c := range everything(t, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return history.New(d).ListTransitions(ctx, f, p)
	}) {
		all = append(all, answerTransition{
			c.Object.ID, uint64(c.Version), c.From, c.To, c.FromRaw, c.ToRaw, c.Reason, c.Message, micros(c.Happened), micros(c.Seen), micros(c.Ended), int(c.Source),
		})
	}
	return all
}

func askRevisions(t *testing.T, d *sqldb.DB, objects []answerObject) (all []answerRevision) {
	t.Helper()
	for _, o := range objects {
		for _, r := range everything(t, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
			return history.New(d).Revisions(ctx, o.ID, p)
		}) {
			body, _, err := history.New(d).Body(t.Context(), o.ID, r.Version)
			sum := sha256.Sum256(body)
			hash := hex.EncodeToString(sum[:16])
			if err != nil {
				hash = "none"
			} else if body == nil {
				hash = "empty"
			}
			began, err := history.New(d).StateBegan(t.Context(), o.ClusterUID, history.Type{Group: o.Group, Resource: o.Resource, Kind: o.Kind}, o.UID, r.Version)
			if err != nil {
				began = 0
			}
			all = append(all, answerRevision{o.ID, uint64(r.Version), r.Deleted, int(r.Source), micros(r.Seen), r.State, r.Raw, hash, uint64(began)})
		}
	}
	return all
}

func askGaps(t *testing.T, d *sqldb.DB) (all []answerGap) {
	t.Helper()
	for _, g := range everything(t, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return history.New(d).ListGaps(ctx, history.GapFilter{}, p)
	}) {
		all = append(all, answerGap{
			g.ID, g.Cluster, g.ClusterUID, g.Type.Group, g.Type.Resource, g.Type.Kind, g.Namespace, g.Recorder, g.Cause, uint64(g.From), uint64(g.To),
			micros(g.Began), micros(g.Ended), g.Detail, micros(g.Healed),
		})
	}
	return all
}

// index returns the rows of the transition index, which is in a table.
func index(t *testing.T, d *sqldb.DB, table string) (all []string) {
	t.Helper()
	err := d.Query(t.Context(), "SELECT term, hour, object_id FROM "+table, nil, func(rows *sql.Rows) error {
		var term, hour, object int64
		err := rows.Scan(&term, &hour, &object)
		all = append(all, fmt.Sprint(term, " ", hour, " ", object))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}
