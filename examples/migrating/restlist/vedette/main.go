// This program lists ConfigMaps with a RESTClient, the lowest of the clients. Nothing
// in it informs, so nothing changes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	namespace := flag.String("namespace", "default", "list ConfigMaps in this namespace")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *namespace); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, namespace string) error {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return err
	}
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	var list corev1.ConfigMapList
	err = client.Get().
		Namespace(namespace).
		Resource("configmaps").
		VersionedParams(&metav1.ListOptions{LabelSelector: "color"}, scheme.ParameterCodec).
		Do(ctx).
		Into(&list)
	if err != nil {
		return err
	}
	slices.SortFunc(list.Items, func(a, b corev1.ConfigMap) int { return strings.Compare(a.Name, b.Name) })
	for _, cm := range list.Items {
		fmt.Printf("%s is %s\n", cm.Name, cm.Labels["color"])
	}
	fmt.Printf("%d ConfigMaps have a color\n", len(list.Items))
	return nil
}
