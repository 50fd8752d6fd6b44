package portal_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestAttackByCluster: of two clusters, the hostile one gets no token of the other, and its people
// have neither the name nor the limits of people of the other with the same name.
func TestAttackByCluster(t *testing.T) {
	w := newWorld(t)
	w.record()
	w.job("train")
	join := func(name, token string) (access.Cluster, func() int) {
		srv, err := apitest.New(apitest.Config{Tokens: map[string]string{"portal": "portal", token: "anna"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		rc := srv.RESTConfig()
		rc.BearerToken = "portal"
		c, err := kube.Connect(kube.Config{REST: rc})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return access.Cluster{Name: name, Kube: c}, func() (n int) {
			for _, r := range srv.Requests() {
				if r.Resource.Resource == "tokenreviews" {
					n++
				}
			}
			return n
		}
	}
	west, westReviews := join("west", "opaque-token-of-west")
	lab, labReviews := join("lab", "opaque-token-of-lab")
	s := w.serve(func(c *portal.Config) { c.Clusters, c.ClusterTokens = []access.Cluster{west, lab}, true }).ready()
	const session, bearer = "/api/v1/session", "Bearer opaque-token-of-west"
	status, _, text := s.send(http.MethodGet, session, "", "Authorization", bearer)
	if status != http.StatusUnauthorized || !strings.Contains(text, "--cluster") || westReviews()+labReviews() > 0 {
		t.Errorf("a token of unknown origin: got status %d and %s after %d reviews, want 401 with a remedy, and none", status, text, westReviews()+labReviews())
	}
	var of api.Session
	status, _, text = s.send(http.MethodGet, session, "", "Authorization", bearer, api.HeaderCluster, "west")
	if err := json.Unmarshal([]byte(text), &of); err != nil || status != http.StatusOK || of.Person != "anna" || of.Cluster != "west" || westReviews() != 1 || labReviews() > 0 {
		t.Errorf("a named cluster: got status %d and %s, %d reviews in west and %d in lab; want anna of west, 1 and 0", status, text, westReviews(), labReviews())
	}
	if status, _, text = s.send(http.MethodGet, "/api/v1/jobs", "", "Authorization", "Bearer opaque-token-of-lab", api.HeaderCluster, "lab"); status != http.StatusOK || strings.Contains(text, "train") {
		t.Errorf("a person of the hostile cluster: got status %d and %s, want no job of west", status, text)
	}
	patience.True(t, "a person of the hostile cluster reaches the limit", func() bool { // the path is cheap, so that a slow machine reaches the rate too
		for range 100 {
			if status, _, _ = s.send(http.MethodGet, "/api/v1/none", "", "Authorization", "Bearer opaque-token-of-lab", api.HeaderCluster, "lab"); status == http.StatusTooManyRequests {
				return true
			}
		}
		return false
	})
	if status, _, text = s.send(http.MethodGet, session, "", "Authorization", bearer, api.HeaderCluster, "west"); status != http.StatusOK {
		t.Errorf("the person of west with the same name: got status %d and %s, want 200", status, text)
	}
}
