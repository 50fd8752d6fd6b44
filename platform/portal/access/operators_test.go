package access

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TestOperatorsOfClusters: a group that a cluster has assigned makes an operator only if
// Config.Operators names it with the cluster.
func TestOperatorsOfClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other := newWorld(t), newWorld(t)
		defer other.close()
		w.allow("ops list jobs ", true)
		a := w.follow(Config{Clusters: []Cluster{{"prod", w.kube}, {"lab", other.kube}}, Operators: []string{"ops", "cluster:prod:sre"}})
		for _, c := range []struct {
			cluster, group string
			want           bool
		}{
			{"", "ops", true}, {"", "sre", false}, {"prod", "sre", true}, {"prod", "ops", false}, // although it sees all of prod
			{"lab", "ops", false}, {"lab", "sre", false}, {"lab", "cluster:prod:sre", false}, {"prod:sre", "", false},
		} {
			got, err := a.Operates(identity.With(t.Context(), identity.Person{Name: "anna", Groups: []string{c.group}, Cluster: c.cluster}))
			if err != nil || got != c.want {
				t.Errorf("the group %q of the cluster %q: got %v and error %v, want %v", c.group, c.cluster, got, err, c.want)
			}
		}
	})
}

// TestBindingsOfAnotherCluster: a binding of a hostile cluster does not expire the sights of people
// of the other clusters, who would then be reviewed again and again.
func TestBindingsOfAnotherCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other := newWorld(t), newWorld(t)
		defer other.close()
		a := w.follow(Config{Clusters: []Cluster{{"prod", w.kube}, {"lab", other.kube}}})
		of := func(cluster string) context.Context {
			return identity.With(t.Context(), identity.Person{Name: "anna", Cluster: cluster})
		}
		prod, lab := w.sight(a, of("prod")), w.sight(a, of("lab"))
		other.bind("ml", "Group", "system:authenticated")
		synctest.Wait()
		if w.sight(a, of("prod")) != prod {
			t.Error("a binding of lab expires a sight of prod")
		}
		if w.sight(a, of("lab")) == lab {
			t.Error("a binding of lab does not expire a sight of lab")
		}
	})
}
