package kube_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestAs checks that requests are sent in the name of the person, whatever characters the
// name has, and that requests of the original cluster are not.
func TestAs(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	for _, who := range []kube.Impersonation{
		{User: "anna", Groups: []string{"a", "b"}, Extra: map[string][]string{"example.com/Scopes": {"x", "y"}}},
		{User: "李雷 <root>", Groups: []string{"Gruppe Süd"}},
		{User: "anna\r\nImpersonate-Group: system:masters"},
	} {
		pods, err := kube.For[corev1.Pod](cluster.As(who), kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		before := len(srv.Requests())
		_, err = pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", GenerateName: "p-"}})
		sent := srv.Requests()[before:]
		if who.Groups == nil {
			if err == nil || len(sent) > 0 {
				t.Errorf("a request with a line break in the name was sent: %v", sent)
			}
			continue
		}
		if err != nil || len(sent) != 1 || sent[0].User != who.User || !slices.Equal(sent[0].Groups, who.Groups) {
			t.Errorf("as %v: got error %v and %+v, want one request as this user", who, err, sent)
		}
	}
	pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = pods.Get(t.Context(), wire.Key{Namespace: "ml", Name: "p"})
	if all := srv.Requests(); all[len(all)-1].User != "anonymous" {
		t.Errorf("got user %s for the original cluster, want anonymous", all[len(all)-1].User)
	}
}
