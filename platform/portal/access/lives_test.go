package access

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// drop deletes a namespace.
func (w *world) drop(name string) {
	w.t.Helper()
	if err := w.Delete(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		w.t.Fatal(err)
	}
}

// seal denies the portal to read namespaces, or allows it.
func (w *world) seal(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealed = yes
}

// TestLives: a right in a namespace counts for the objects of its present life, and an operator and a
// person with rights in all namespaces see older ones. Objects of another cluster that had the name
// are shown to operators only.
func TestLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.namespace("kube-system")
		w.bind("ml", "User", "anna")
		w.bind("ml", "User", "ben")
		w.bind("ml", "Group", "ops")
		for _, right := range []string{"anna list jobs ml", "ben list jobs ml", "ops list jobs ml", "carl list jobs ", "root list jobs ", "root list pytorchjobs "} {
			w.allow(right, true)
		}
		types := func(string) []string { return []string{"jobs.batch", "pytorchjobs.kubeflow.org"} }
		a := w.follow(Config{Types: types, Operators: []string{"ops"}})
		present, err := w.kube.Identity(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		old := time.Now()
		check := func(when string, want map[string][3]bool) {
			t.Helper()
			for who, want := range want {
				ctx := as(t, who)
				if who == "olga" {
					ctx = as(t, who, "ops")
				}
				s := w.sight(a, ctx)
				see := func(cluster string, at time.Time) bool { return s.SeesJob("prod", cluster, "jobs.batch", "ml", at) }
				if got := [3]bool{see(present, old), see(present, time.Now()), see("replaced", time.Now())}; got != want {
					t.Errorf("%s, %s sees the old job, a new one, one of the replaced cluster: %v, want %v", when, who, got, want)
				}
				for n, at := range []struct {
					cluster string
					created time.Time
				}{{present, old}, {present, time.Now()}, {"replaced", time.Now()}} {
					namespace := "ml"
					if who == "carl" || who == "root" {
						namespace = "" // as their rights are
					}
					since, some, err := a.Since(ctx, "prod", at.cluster, namespace)
					if got := some && !at.created.Before(since); err != nil || got != want[n] {
						t.Errorf("%s, Since of %s: case %d is %v with error %v, want %v", when, who, n, got, err, want[n])
					}
				}
			}
		}
		check("before", map[string][3]bool{"anna": {true, true, false}, "olga": {true, true, true}, "carl": {true, true, false}, "root": {true, true, true}})
		key := w.sight(a, as(t, "anna")).Key()
		<-time.After(sightFor)
		check("the same namespace", map[string][3]bool{"anna": {true, true, false}})
		if w.sight(a, as(t, "anna")).Key() != key {
			t.Error("the key changes with the time")
		}

		w.drop("ml")
		<-time.After(sightFor)
		check("without the namespace", map[string][3]bool{"anna": {false, false, false}, "olga": {true, true, true}, "carl": {true, true, false}})
		w.namespace("ml")
		check("as soon as it exists again", map[string][3]bool{"ben": {false, true, false}})
		<-time.After(sightFor)
		check("after", map[string][3]bool{"anna": {false, true, false}, "olga": {true, true, true}, "carl": {true, true, false}, "root": {true, true, true}})
		if w.sight(a, as(t, "anna")).Key() == key {
			t.Error("the key of another life is the same")
		}
		if got := a.Trusting(); got != nil {
			t.Errorf("names are trusted in %v, want nowhere", got)
		}

		w.seal(true)
		<-time.After(sightFor)
		if s := w.sight(a, as(t, "anna")); !s.SeesJob("prod", present, "jobs.batch", "ml", old) || !s.SeesJob("prod", "replaced", "jobs.batch", "ml", old) {
			t.Error("without the right to read namespaces, their names are not trusted")
		}
		if got := a.Trusting(); !slices.Equal(got, []string{"prod"}) {
			t.Errorf("names are trusted in %v, want prod", got)
		}
		w.seal(false)
		<-time.After(sightFor)
		check("with the right again", map[string][3]bool{"anna": {false, true, false}})
		if got := a.Trusting(); got != nil {
			t.Errorf("with the right, names are trusted in %v, want nowhere", got)
		}
	})
}

// TestManyLives: the namespaces of a person with rights in many of them are listed.
func TestManyLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for n := range 3 * namespacesOfPage {
			name := fmt.Sprintf("team-%04d", n)
			w.bind(name, "User", "anna")
			w.allow("anna list jobs "+name, true)
		}
		old := time.Now()
		<-time.After(time.Minute)
		w.drop("team-0700")
		w.namespace("team-0700")
		a := w.follow(Config{})
		s := w.sight(a, as(t, "anna"))
		for namespace, want := range map[string]bool{"team-0000": true, "team-0700": false, "team-0749": true} {
			if got := s.SeesJob("prod", "", "jobs.batch", namespace, old); got != want {
				t.Errorf("an old job in %s is visible: %v, want %v", namespace, got, want)
			}
		}
		reads := map[apitest.Verb]int{}
		for _, r := range w.Requests() {
			if r.Resource.Resource == "namespaces" && r.Name != "kube-system" {
				reads[r.Verb]++
			}
		}
		if reads[apitest.VerbList] != 3 || reads[apitest.VerbGet] != 0 {
			t.Errorf("namespaces were read with %v, want 3 lists", reads)
		}
	})
}

// TestLifeWithoutAnswer: if the API server does not answer about namespaces, nobody's names are
// trusted.
func TestLifeWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.bind("ml", "User", "anna")
		w.allow("anna list jobs ml", true)
		a := w.follow(Config{})
		fault := apitest.Fault{Match: apitest.Match{Resource: "namespaces"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(503, 0))}
		if _, err := w.Inject(fault); err != nil {
			t.Fatal(err)
		}
		if s, err := a.Sight(as(t, "anna")); err == nil {
			t.Errorf("got a sight that sees ml: %v, want an error", s.Sees("prod", "ml"))
		}
		if got := a.Trusting(); got != nil {
			t.Errorf("names are trusted in %v, want nowhere", got)
		}
	})
}
