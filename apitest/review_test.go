package apitest_test

import (
	"errors"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/apitest"
)

// TestReview: a SelfSubjectAccessReview returns the decision of Authorize, and is not stored.
func TestReview(t *testing.T) {
	srv, err := apitest.New(apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == apitest.VerbWatch && r.Resource.Resource == "jobs" && r.Resource.Group == "batch" && r.Namespace == "ml" {
			return errors.New("not you")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	rc := srv.RESTConfig()
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		rc.ContentType, rc.AcceptContentTypes = media, media
		client, err := kubernetes.NewForConfig(rc)
		if err != nil {
			t.Fatal(err)
		}
		for verb, want := range map[string]authorizationv1.SubjectAccessReviewStatus{"list": {Allowed: true}, "watch": {Reason: "not you"}} {
			got, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: "batch", Resource: "jobs", Namespace: "ml"}},
			}, metav1.CreateOptions{})
			if err != nil || got.Status != want {
				t.Errorf("%s, verb %s: got %+v and error %v, want %+v", media, verb, got, err, want)
			}
		}
		if _, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{}, metav1.CreateOptions{}); err == nil {
			t.Error("a review without attributes was answered")
		}
	}
}

// TestUserReview: a SelfSubjectReview names the user of the token.
func TestUserReview(t *testing.T) {
	srv, err := apitest.New(apitest.Config{Tokens: map[string]string{"t-wei": "wei@example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	rc := srv.RESTConfig()
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		rc.ContentType, rc.AcceptContentTypes = media, media
		for token, want := range map[string]string{"t-wei": "wei@example.com", "other": ""} {
			rc.BearerToken = token
			client, err := kubernetes.NewForConfig(rc)
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if (err == nil) != (want != "") || err == nil && got.Status.UserInfo.Username != want {
				t.Errorf("%s, token %s: got %+v and error %v, want user %q", media, token, got, err, want)
			}
		}
	}
}

// TestRulesReview: a SelfSubjectRulesReview returns Rules of the sender in a namespace, and is incomplete by default.
func TestRulesReview(t *testing.T) {
	rule := authorizationv1.ResourceRule{Verbs: []string{"create"}, APIGroups: []string{"batch"}, Resources: []string{"jobs"}}
	rules := func(user string, _ []string, namespace string) (s authorizationv1.SubjectRulesReviewStatus) {
		if user == "anonymous" && namespace == "ml" {
			s.ResourceRules = append(s.ResourceRules, rule)
		}
		return s
	}
	for _, c := range []struct {
		name, namespace string
		rules           func(string, []string, string) authorizationv1.SubjectRulesReviewStatus
		incomplete      bool
		count           int
	}{{"rules", "ml", rules, false, 1}, {"another namespace", "vision", rules, false, 0}, {"the default", "ml", nil, true, 0}} {
		srv := apitest.StartWith(t, apitest.Config{Rules: c.rules})
		client, err := kubernetes.NewForConfig(srv.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		ask := func(namespace string) (*authorizationv1.SelfSubjectRulesReview, error) {
			return client.AuthorizationV1().SelfSubjectRulesReviews().Create(t.Context(), &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}, metav1.CreateOptions{})
		}
		got, err := ask(c.namespace)
		if err != nil || got.Status.Incomplete != c.incomplete || len(got.Status.ResourceRules) != c.count {
			t.Errorf("%s: got %+v and error %v, want incomplete %v and %d rules", c.name, got, err, c.incomplete, c.count)
		}
		if _, err := ask(""); err == nil {
			t.Errorf("%s: a review without a namespace was answered", c.name)
		}
	}
}
