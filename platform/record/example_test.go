package record_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Record pods into an SQLite file, follow the feed, and read the history.
func Example() {
	server, err := apitest.New(apitest.Config{SystemNamespaces: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}}
	if _, err := server.Create(pod); err != nil {
		fmt.Println(err)
		return
	}
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	dir, err := os.MkdirTemp("", "vedette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "history.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	recorder, err := record.New(db, record.Config{Cluster: cluster, Targets: []record.Target{{Type: "pods"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- recorder.Run(ctx) }()
	err = feed.Consume(ctx, db, "example", func(_ context.Context, _ *sqldb.Tx, some []feed.Transition) error {
		for _, t := range some {
			fmt.Println("feed:", t.Object.Name, t.To)
		}
		stop()
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	if err := <-ended; err != nil {
		fmt.Println(err)
	}
	page, err := history.New(db).ListObjects(context.Background(), history.Filter{Namespace: "ml"}, history.Paging{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, obj := range page.Items {
		fmt.Println("history:", obj.Name, obj.State)
	}
	// Output:
	// feed: train Queued
	// history: train Queued
}
