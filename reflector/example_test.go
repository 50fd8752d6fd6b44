package reflector_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// printer prints deltas until the first list is complete.
type printer struct{ stop func() }

func (p printer) Put(_ context.Context, d delta.Delta) error {
	fmt.Printf("%s %q\n", d.Kind, d.Record.Key.Name)
	if d.Kind == delta.End {
		p.stop()
	}
	return nil
}

// Follow pods below the level of informers: a list is Begin, an Upsert for each object, and
// End; a watch is Upsert and Delete.
func Example() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	if _, err := server.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}}); err != nil {
		fmt.Println(err)
		return
	}
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	pods, err := kube.Named("pods")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := reflector.New(cluster.Source(pods, kube.Selection{}), printer{stop}, reflector.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = r.Run(ctx) // ends with ctx
	// Output:
	// Begin ""
	// Upsert "train"
	// End ""
}
