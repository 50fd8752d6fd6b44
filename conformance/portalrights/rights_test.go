package portalrights_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// exact makes the tests check times. By default they only check that rights end, because a
// busy machine may take any time.
var exact = flag.Bool("exact", false, "check how soon rights end, on a machine without other load")

const (
	// most is the maximum time that a right may last after it was revoked.
	most = time.Minute
	// soon is shorter than the age at which a sight is read again without a change of
	// bindings.
	soon = 25 * time.Second
)

// TestRights: the RBAC of a real API server decides what a person sees and does. A revoked
// right ends, also for an open stream; within a minute on an idle machine.
func TestRights(t *testing.T) {
	s := newStage(t)
	for n := range 20 {
		s.namespace(fmt.Sprintf("team-%d", n))
	}
	reads, writes := s.role("reads-jobs", "get", "list", "watch"), s.role("creates-jobs", "create")
	s.bind("team-1", reads.Name, "User", "anna")
	s.bind("team-2", reads.Name, "Group", "oidc:research")
	s.bind("team-3", writes.Name, "User", "anna")
	anna := s.as("anna", "oidc:research")
	only := func(want ...string) func(*access.Sight) bool {
		return func(sight *access.Sight) bool {
			var got []string
			for n := range 20 {
				if name := fmt.Sprintf("team-%d", n); sees(sight, name) {
					got = append(got, name)
				}
			}
			return slices.Equal(got, want) && !sight.All()
		}
	}
	s.follow(anna, "anna sees two namespaces", only("team-1", "team-2"))
	born := check[*corev1.Namespace](s)(s.admin.CoreV1().Namespaces().Get(t.Context(), "team-1", metav1.GetOptions{})).CreationTimestamp.Time
	sight := check[*access.Sight](s)(s.access.Sight(anna))
	if since, some := sight.Since(clusterName, "", "jobs.batch", "team-1"); !some || !since.Equal(born) || len(s.access.Trusting()) > 0 {
		t.Errorf("anna sees the objects of team-1 since %v, %v, and names are trusted in %v; want since %v, and none", since, some, s.access.Trusting(), born)
	}

	writing(t, s)

	s.unbind("team-2", reads.Name, "oidc:research")
	if took := s.follow(anna, "the binding of a group is deleted", only("team-1")); *exact && took > soon {
		t.Errorf("a deleted binding counts for %v", took)
	}
	reads.Rules[0].Verbs = []string{"get"}
	check[any](s)(s.admin.RbacV1().ClusterRoles().Update(t.Context(), reads, metav1.UpdateOptions{}))
	took := s.follow(anna, "the role has lost a verb", only())
	if *exact && took > most {
		t.Errorf("a deleted verb counts for %v", took)
	}
	t.Logf("a verb that was removed from a role ends after %v", took.Round(time.Millisecond))
}

// sees reports whether a sight has jobs in a namespace.
func sees(sight *access.Sight, namespace string) bool {
	_, some := sight.Since(clusterName, "", "jobs.batch", namespace)
	return some
}

// writing creates jobs in the name of users.
func writing(t *testing.T, s *stage) {
	create := func(namespace string) error {
		cluster, err := s.access.Cluster(s.as("anna", "oidc:research"), clusterName)
		if err != nil {
			return err
		}
		jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		_, err = jobs.Create(t.Context(), &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "train-"},
			Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:7"}},
			}}},
		})
		return err
	}
	right := access.Right{Cluster: clusterName, Verb: "create", Group: "batch", Resource: "jobs", Namespace: "team-3"}
	patience.Until(t, "anna may create jobs in team-3", func() string { // the API server learns of the binding a moment later
		if err := s.access.May(s.as("anna", "oidc:research"), right); err != nil {
			return err.Error()
		}
		return ""
	})
	if err := create("team-3"); err != nil {
		t.Error(err)
	}
	// oidc:research may read jobs, and nobody else may do anything; the API server lists the rights of both.
	for person, want := range map[string]bool{"anna": true, "eve": false, "ben": false} {
		groups := map[string][]string{"ben": {"oidc:research"}}[person]
		err := s.access.MayCreate(s.as(person, groups...), []string{"pytorchjobs.kubeflow.org", "jobs.batch"})
		var denied *api.Problem
		if want && err != nil || !want && (!errors.As(err, &denied) || denied.Status != http.StatusForbidden) {
			t.Errorf("%s creates jobs anywhere: got %v, want allowed %v", person, err, want)
		}
	}
	right.Namespace = "team-1"
	var denied *api.Problem
	if err := s.access.May(s.as("anna", "oidc:research"), right); !errors.As(err, &denied) || !strings.Contains(denied.Role, "namespace: team-1") {
		t.Errorf("got %v", err)
	}
	if err := create("team-1"); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `User "anna"`) {
		t.Errorf("a job without the right: %v", err)
	}
}

// TestTokens: a token of a ServiceAccount authenticates that account until it is deleted.
func TestTokens(t *testing.T) {
	s := newStage(t)
	s.namespace("ml")
	s.account("ml", "ci")
	token := s.token("ml", "ci")
	p, ok, err := s.tokens.Review(t.Context(), token, "")
	if err != nil || !ok || p.Name != "system:serviceaccount:ml:ci" || p.Cluster != clusterName || !slices.Contains(p.Groups, "system:serviceaccounts:ml") {
		t.Fatalf("got %+v, %v, %v", p, ok, err)
	}
	s.role("reads-jobs", "list")
	s.bind("ml", "reads-jobs", "Group", "system:serviceaccounts:ml")
	s.follow(identity.With(t.Context(), p), "the account sees its namespace", func(sight *access.Sight) bool { return sees(sight, "ml") })
	if _, ok, err := s.tokens.Review(t.Context(), token[:len(token)-4]+"AAAA", ""); ok || err != nil {
		t.Errorf("a forged token: %v, %v", ok, err)
	}
	if err := s.admin.CoreV1().ServiceAccounts("ml").Delete(t.Context(), "ci", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	patience.Until(t, "the token is refused", func() string {
		_, ok, err := s.tokens.Review(t.Context(), token, "")
		switch {
		case err != nil:
			t.Fatal(err)
		case ok:
			return "it is valid"
		}
		return ""
	})
	if took := time.Since(began); *exact && took > most {
		t.Errorf("a deleted account counts for %v", took)
	}
}
