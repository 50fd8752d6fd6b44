package kube_test

import (
	"errors"
	"testing"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

// TestAllowed checks access reviews and the clock of the server.
func TestAllowed(t *testing.T) {
	srv, err := apitest.New(apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == "watch" && r.Resource.Resource == "pods" && r.Namespace == "ml" && r.Name == "" {
			return errors.New("not you")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	pods := kube.Resource{Version: "v1", Name: "pods"}
	for _, c := range []struct {
		verb, namespace, name, why string
		yes                        bool
	}{
		{"list", "ml", "", "", true}, {"watch", "", "", "", true}, {"watch", "ml", "a", "", true}, {"watch", "ml", "", "not you", false},
	} {
		yes, why, err := cluster.Allowed(t.Context(), c.verb, pods, c.namespace, c.name)
		if err != nil || yes != c.yes || why != c.why {
			t.Errorf("%+v: got %v, %q and error %v, want %v and %q", c, yes, why, err, c.yes, c.why)
		}
	}
	before := time.Now()
	at, took, err := cluster.Clock(t.Context())
	// The server tells whole seconds, and the call estimates half of its own time.
	if after := time.Now(); err != nil || at.Before(before.Add(-2*time.Second-took)) || at.After(after.Add(2*time.Second+took)) {
		t.Errorf("clock: got %v within %v and error %v, want the time of this machine, %v to %v", at, took, err, before, after)
	}
	srv.Close()
	if _, _, err := cluster.Allowed(t.Context(), "list", pods, "", ""); err == nil {
		t.Error("got no error from Allowed without a server")
	}
	if _, _, err := cluster.Clock(t.Context()); err == nil {
		t.Error("got no error from Clock without a server")
	}
}

// TestUser checks that the name comes from the server, and that an answer without a name
// is an error.
func TestUser(t *testing.T) {
	srv, err := apitest.New(apitest.Config{Tokens: map[string]string{"t-wei": "wei@example.com", "t-nobody": ""}})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	for token, want := range map[string]string{"t-wei": "wei@example.com", "t-nobody": "", "other": ""} {
		rc := srv.RESTConfig()
		rc.BearerToken = token
		cluster, err := kube.Connect(kube.Config{REST: rc})
		if err != nil {
			t.Fatal(err)
		}
		if name, err := cluster.User(t.Context()); name != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q and error %v, want %q", token, name, err, want)
		}
		cluster.Close()
	}
}
