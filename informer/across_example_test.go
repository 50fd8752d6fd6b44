package informer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// ExampleAcross follows the pods of all clusters in a kubeconfig file, including a
// cluster that is added to the file later.
func ExampleAcross() {
	file := filepath.Join(os.TempDir(), fmt.Sprint("vedette-across-", os.Getpid()))
	defer os.Remove(file)
	clusters := clientcmdapi.NewConfig()
	add := func(name string) (server *apitest.Server) {
		server, err := apitest.New(apitest.Config{})
		if err != nil {
			log.Fatal(err)
		}
		url, err := server.Listen("127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		clusters.Clusters[name] = &clientcmdapi.Cluster{Server: url}
		clusters.Contexts[name] = &clientcmdapi.Context{Cluster: name}
		if err := clientcmd.WriteToFile(*clusters, file); err != nil {
			log.Fatal(err)
		}
		p := pod("pod-of-" + name)
		if _, err := server.Create(p); err != nil {
			log.Fatal(err)
		}
		return server
	}
	defer add("paris").Close()

	pods, err := informer.Across[corev1.Pod](informer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var known []string
	var open []*kube.Cluster
	// update adds and removes clusters until the informer has those of the file. A
	// program calls it when the file has changed.
	update := func(ctx context.Context) {
		now, err := kube.Contexts(kube.Config{Kubeconfig: file})
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range now {
			if slices.Contains(known, name) {
				continue
			}
			cluster, err := kube.Connect(kube.Config{Kubeconfig: file, Context: name})
			if err != nil {
				log.Fatal(err)
			}
			open = append(open, cluster)
			if err := pods.AddCluster(name, cluster); err != nil {
				log.Fatal(err)
			}
		}
		for _, name := range known {
			if !slices.Contains(now, name) {
				if err := pods.RemoveCluster(ctx, name); err != nil {
					log.Fatal(err)
				}
			}
		}
		known = now
	}
	ctx, cancel := context.WithCancel(context.Background())
	update(ctx)
	done := make(chan error, 1)
	go func() { done <- pods.Run(ctx) }()
	events := 0
	for ev := range pods.Events(ctx) {
		fmt.Println(ev.Kind(), ev.Key())
		if events++; events == 2 {
			break
		}
		defer add("tokyo").Close()
		update(ctx)
	}
	cancel()
	if err := <-done; err != nil {
		log.Fatal(err)
	}
	for _, cluster := range open {
		cluster.Close()
	}
	// Output:
	// Added paris:default/pod-of-paris
	// Added tokyo:default/pod-of-tokyo
}
