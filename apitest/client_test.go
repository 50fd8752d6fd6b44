package apitest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
)

var jobs = schema.GroupVersionResource{Group: "batch.example.com", Version: "v1", Resource: "trainingjobs"}

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// eachEncoding runs a test with a client that prefers JSON, and with a client that prefers protobuf.
func eachEncoding(t *testing.T, run func(t *testing.T, with func(*rest.Config) *rest.Config)) {
	t.Run("json", func(t *testing.T) { run(t, func(cfg *rest.Config) *rest.Config { return cfg }) })
	t.Run("protobuf", func(t *testing.T) { run(t, protobuf) })
}

func TestClientset_LifeOfAPod(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		srv := start(t, apitest.Config{})
		ctx, pods := background(t), clientset(t, with(srv.RESTConfig())).CoreV1().Pods("default")
		created, err := pods.Create(ctx, pod("a"), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if created.UID == "" || created.ResourceVersion != "2" || created.Generation != 1 ||
			created.CreationTimestamp.IsZero() || created.Status.Phase != corev1.PodPending {
			t.Errorf("created: got %+v, want a pending Pod with a UID, version 2, generation 1", created)
		}
		if _, err = pods.Create(ctx, pod("a"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("second create: got %v, want that the Pod exists", err)
		}
		created.Status.Phase = corev1.PodRunning
		running, err := pods.UpdateStatus(ctx, created, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if running.Status.Phase != corev1.PodRunning || running.ResourceVersion != "3" || running.Generation != 1 {
			t.Errorf("running: got %+v, want phase Running, version 3, generation 1", running)
		}
		if _, err = pods.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("stale update: got %v, want a conflict", err)
		}
		running.Spec.NodeName, running.Status.Phase = "n1", corev1.PodFailed
		bound, err := pods.Update(ctx, running, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if bound.Spec.NodeName != "n1" || bound.Status.Phase != corev1.PodRunning || bound.Generation != 2 {
			t.Errorf("bound: got %+v, want node n1, phase Running, generation 2", bound)
		}
		same, err := pods.Update(ctx, bound, metav1.UpdateOptions{})
		if err != nil || same.ResourceVersion != bound.ResourceVersion {
			t.Errorf("an update without a change got version %s, %v", same.ResourceVersion, err)
		}
		read, err := pods.Get(ctx, "a", metav1.GetOptions{})
		if diff := cmp.Diff(bound, read); err != nil || diff != "" {
			t.Errorf("get: error %v (-want +got):\n%s", err, diff)
		}
		wrong := metav1.NewUIDPreconditions("other")
		if err = pods.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: wrong}); !apierrors.IsConflict(err) {
			t.Errorf("delete of another: %v", err)
		}
		if err = pods.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if _, err = pods.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get after delete: %v", err)
		}
	})
}

func TestInformer_TypedFollows(t *testing.T) {
	for _, streaming := range []apitest.Streaming{apitest.StreamingSupported, apitest.StreamingRefused} {
		eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
			synctest.Test(t, func(t *testing.T) {
				srv := start(t, apitest.Config{StreamingLists: streaming})
				create(t, srv, pod("a"), pod("b"))
				factory := informers.NewSharedInformerFactory(clientset(t, with(srv.RESTConfig())), 0)
				lister := factory.Core().V1().Pods().Lister()
				ctx, cancel := context.WithCancel(t.Context())
				factory.Start(ctx.Done())
				defer factory.Shutdown()
				defer cancel()
				synctest.Wait()
				follow(t, srv, func() []string {
					pods, err := lister.List(labels.Everything())
					if err != nil {
						t.Error(err)
					}
					return namesOf(pods)
				})
			})
		})
	}
}

func TestInformer_DynamicAndMetadataFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
		create(t, srv, pod("a"), pod("b"))
		cfg := srv.RESTConfig()
		ofDynamic := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(cfg), 0)
		ofMetadata := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(cfg), 0)
		dynamicPods := ofDynamic.ForResource(podsResource).Informer()
		metadataPods := ofMetadata.ForResource(podsResource).Informer()
		dynamicJobs := ofDynamic.ForResource(jobs).Informer()
		metadataJobs := ofMetadata.ForResource(jobs).Informer()
		ctx, cancel := context.WithCancel(t.Context())
		ofDynamic.Start(ctx.Done())
		ofMetadata.Start(ctx.Done())
		defer ofDynamic.Shutdown()
		defer ofMetadata.Shutdown()
		defer cancel()
		synctest.Wait()
		for _, informer := range []cache.SharedIndexInformer{dynamicPods, metadataPods} {
			if !informer.HasSynced() || len(informer.GetStore().List()) != 2 {
				t.Errorf("got pods %v, want a synced informer with 2", informer.GetStore().ListKeys())
			}
		}
		follow(t, srv, func() []string { return shortKeys(dynamicPods) })
		create(t, srv, job("j", "q"))
		synctest.Wait()
		for _, informer := range []cache.SharedIndexInformer{dynamicJobs, metadataJobs} {
			if diff := cmp.Diff([]string{"j"}, shortKeys(informer)); diff != "" {
				t.Errorf("got other pods (-want +got):\n%s", diff)
			}
		}
		if diff := cmp.Diff([]string{"a", "c"}, shortKeys(metadataPods)); diff != "" {
			t.Errorf("got other metadata (-want +got):\n%s", diff)
		}
	})
}

// follow changes the pods a and b and checks that a client sees it.
func follow(t *testing.T, srv *apitest.Server, seen func() []string) {
	t.Helper()
	if diff := cmp.Diff([]string{"a", "b"}, seen()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	create(t, srv, pod("c"))
	if err := srv.Delete(pod("b")); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	if diff := cmp.Diff([]string{"a", "c"}, seen()); diff != "" {
		t.Errorf("after a change: %s", diff)
	}
	<-time.After(3 * time.Hour) // fake time: watches end and begin again
	synctest.Wait()
	if diff := cmp.Diff([]string{"a", "c"}, seen()); diff != "" {
		t.Errorf("after hours: %s", diff)
	}
}

func TestDiscovery_MapsNames(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	client, err := discovery.NewDiscoveryClientForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("aggregated", func(t *testing.T) { mapNames(t, client) })
	client.UseLegacyDiscovery = true
	t.Run("legacy", func(t *testing.T) { mapNames(t, client) })
}

func mapNames(t *testing.T, client *discovery.DiscoveryClient) {
	t.Helper()
	cached := memory.NewMemCacheClient(client)
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
	for word, want := range map[string]string{
		"po": "/v1, Resource=pods", "deploy": "apps/v1, Resource=deployments", "hpa": "autoscaling/v2, Resource=horizontalpodautoscalers",
		"tj": jobs.String(), "cronjob": "batch/v1, Resource=cronjobs", "ns": "/v1, Resource=namespaces",
		"ingresses": "networking.k8s.io/v1, Resource=ingresses", "ep": "/v1, Resource=endpoints",
	} {
		got, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: word})
		if err != nil || got.String() != want {
			t.Errorf("%s: got %s and error %v, want %s", word, got, err, want)
		}
	}
	mapping, err := mapper.RESTMapping(schema.GroupKind{Kind: "Node"}, "v1")
	if err != nil || mapping.Scope.Name() != "root" {
		t.Errorf("Node: got %v and error %v, want the scope root", mapping, err)
	}
	info, err := client.ServerVersion()
	if err != nil || info.GitVersion != apitest.DefaultRelease || info.Minor != "37" {
		t.Errorf("version: got %v and error %v, want %s", info, err, apitest.DefaultRelease)
	}
	if _, lists, err := client.ServerGroupsAndResources(); err != nil || len(lists) < 15 {
		t.Errorf("got %d groups and error %v, want at least 15", len(lists), err)
	}
}
