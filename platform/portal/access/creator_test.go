package access

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

var types = []string{"pytorchjobs.kubeflow.org", "jobs.batch"}

// rules lists the rights of a user, and counts the reviews.
func (w *world) rules(user string, groups []string, namespace string) (s authorizationv1.SubjectRulesReviewStatus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listed = append(w.listed, namespace)
	for _, who := range append([]string{user}, groups...) {
		for _, in := range []string{"", namespace} {
			if w.rights[fmt.Sprintf("%s create jobs %s", who, in)] {
				s.ResourceRules = append(s.ResourceRules, authorizationv1.ResourceRule{Verbs: []string{"create"}, APIGroups: []string{"batch"}, Resources: []string{"jobs"}})
			}
		}
	}
	s.Incomplete = w.incomplete
	return s
}

// namespacesListed returns the namespaces of the rules reviews since the last call.
func (w *world) namespacesListed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.listed)
	w.listed = nil
	return n
}

// TestMayCreate: a person passes with the right in any namespace, and is refused only if it is certain
// that they have none. Answers are cached, a refusal for 2 s.
func TestMayCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for n := range 300 {
			w.bind(fmt.Sprint("team-", n), "User", "vera")
		}
		w.bind("ml", "Group", "trainers")
		w.allow("trainers create jobs ml", true)
		w.allow("root create jobs ", true)
		a := w.follow(Config{})
		for _, c := range []struct {
			name, person string
			groups       []string
			reviews      int
			denied       bool
		}{
			{"a right in a namespace, by a group", "anna", []string{"trainers"}, 1, false},
			{"the same again", "anna", []string{"trainers"}, 0, false},
			{"a right in all namespaces", "root", nil, 1, false},
			{"no binding", "eve", nil, 1, true},
			{"the same again", "eve", nil, 0, true},
			{"one role in 300 namespaces", "vera", nil, 1, true},
		} {
			err := a.MayCreate(as(t, c.person, c.groups...), types)
			if got := w.namespacesListed(); isProblem(err, api.ProblemDenied) != c.denied || (err != nil) != c.denied || got != c.reviews {
				t.Errorf("%s: got %v after %d reviews, want denied %v after %d", c.name, err, got, c.denied, c.reviews)
			}
		}
		w.allow("eve create jobs ", true)
		<-time.After(refusedFor) // in fake time
		if err := a.MayCreate(as(t, "eve"), types); err != nil {
			t.Errorf("a person with a new right: got %v, want no error", err)
		}
		if err := a.MayCreate(as(t, "root"), []string{"pods"}); !isProblem(err, api.ProblemDenied) {
			t.Errorf("a right for another type: got %v, want a denial", err)
		}
		if err := a.MayCreate(identity.With(t.Context(), identity.Person{Name: "root", Cluster: "lab"}), types); !isProblem(err, api.ProblemDenied) {
			t.Errorf("a person of no cluster: got %v, want a denial", err)
		}
		if err := a.MayCreate(t.Context(), types); !isProblem(err, api.ProblemSignIn) {
			t.Errorf("nobody: got %v, want a sign-in", err)
		}
		if err := New(Config{}).MayCreate(t.Context(), types); err != nil {
			t.Errorf("without rights: got %v, want no error", err)
		}
		for n := range 2 * maxCreators {
			a.creators.set(creatorKey{types: fmt.Sprint(n)}, creator{})
		}
		if n := len(a.creators.all); n > maxCreators {
			t.Errorf("%d people are cached, want at most %d", n, maxCreators)
		}
	})
}

// TestMayCreateUnknown: a person whose rights are unknown passes, and the log says so once.
func TestMayCreateUnknown(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T, *world){
		"bindings that may not be read": func(_ *testing.T, w *world) { w.secret = true },
		"another authorizer":            func(_ *testing.T, w *world) { w.incomplete = true },
		"an outage": func(t *testing.T, w *world) {
			_, err := w.Inject(apitest.Fault{
				Match: apitest.Match{Resource: "selfsubjectrulesreviews"}, Times: apitest.Always,
				Action: apitest.Respond(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError}),
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		"different roles in 200 namespaces": func(_ *testing.T, w *world) {
			for n := range 2 * reviewEach {
				w.bindRole(fmt.Sprint("team-", n), "User", "eve", "Role")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				prepare(t, w)
				var log bytes.Buffer // written by MayCreate alone, which is called by the test alone
				a := w.follow(Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
				for range 3 {
					if err := a.MayCreate(as(t, "eve"), types); err != nil {
						t.Errorf("got %v, want no error", err)
					}
					if w.namespacesListed() > reviewEach {
						t.Error("the reviews are not bounded")
					}
					<-time.After(refusedFor) // in fake time
				}
				if got := strings.Count(log.String(), "the rights of people are unknown"); got != 1 {
					t.Errorf("the log has %d lines about it, want 1", got)
				}
			})
		})
	}
}
