package apitest_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

func TestList_PagesShowOneInstant(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		srv := start(t, apitest.Config{})
		for i := range 10 {
			create(t, srv, pod(fmt.Sprint("p", i)))
		}
		ctx, pods := background(t), clientset(t, with(srv.RESTConfig())).CoreV1().Pods("")
		var names []string
		options := metav1.ListOptions{Limit: 4}
		for remaining := int64(6); ; remaining -= 4 {
			list, err := pods.List(ctx, options)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range list.Items {
				names = append(names, item.Name)
			}
			if list.ResourceVersion != "11" {
				t.Errorf("got version %s, want 11", list.ResourceVersion)
			}
			if options.Continue = list.Continue; options.Continue == "" {
				break
			}
			if list.RemainingItemCount == nil || *list.RemainingItemCount != remaining {
				t.Errorf("remaining %v, want %d", list.RemainingItemCount, remaining)
			}
			// No page shows changes between two pages.
			last := fmt.Sprint("p", 10-remaining)
			if err := srv.Delete(pod(last)); err != nil {
				t.Error(err)
			}
			create(t, srv, pod(last+"-new"))
		}
		want := []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("got a difference (-want +got):\n%s", diff)
		}
	})
}

func TestList_ContinueExpires(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, pod("a"), pod("b"), pod("c"))
	ctx, pods := background(t), clientset(t, srv.RESTConfig()).CoreV1().Pods("")
	first, err := pods.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	create(t, srv, pod("d"))
	srv.Compact()
	_, err = pods.List(ctx, metav1.ListOptions{Limit: 2, Continue: first.Continue})
	if !apierrors.IsResourceExpired(err) {
		t.Fatalf("got %v, want that the list has expired", err)
	}
	token := err.(apierrors.APIStatus).Status().Continue
	rest, err := pods.List(ctx, metav1.ListOptions{Limit: 2, Continue: token})
	if err != nil || len(rest.Items) != 2 || rest.Items[1].Name != "d" {
		t.Errorf("the rest as it is now: %v, %v", rest, err)
	}
	if _, err = pods.List(ctx, metav1.ListOptions{Continue: "nonsense"}); !apierrors.IsBadRequest(err) {
		t.Errorf("a bad continue token: got %v, want a bad request", err)
	}
}

func TestList_Versions(t *testing.T) {
	// In fake time, because clients wait and retry if a version does not exist yet.
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{Window: 3})
		create(t, srv, pod("a"), pod("b"), pod("c"), pod("d"), pod("e")) // versions 2 to 6; 4 to 6 in the window
		ctx, pods := background(t), clientset(t, srv.RESTConfig()).CoreV1().Pods("")
		const exact, notOlder = metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
		tooLarge := func(err error) bool { return apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) }
		for _, c := range []struct {
			options metav1.ListOptions
			items   int
			version string
			failure func(error) bool
		}{
			{options: metav1.ListOptions{}, items: 5, version: "6"},
			{options: metav1.ListOptions{ResourceVersion: "0", Limit: 2}, items: 5, version: "6"},
			{options: metav1.ListOptions{ResourceVersion: "2"}, items: 5, version: "6"},
			{options: metav1.ListOptions{ResourceVersion: "2", ResourceVersionMatch: notOlder}, items: 5, version: "6"},
			{options: metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: exact}, items: 3, version: "4"},
			{options: metav1.ListOptions{ResourceVersion: "4", Limit: 2}, items: 2, version: "4"},
			{options: metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: exact}, items: 2, version: "3"},
			{options: metav1.ListOptions{ResourceVersion: "2", ResourceVersionMatch: exact}, failure: apierrors.IsResourceExpired},
			{options: metav1.ListOptions{ResourceVersion: "7", ResourceVersionMatch: notOlder}, failure: tooLarge},
			{options: metav1.ListOptions{ResourceVersion: "7", ResourceVersionMatch: exact}, failure: apierrors.IsTimeout},
			{options: metav1.ListOptions{ResourceVersion: "x"}, failure: apierrors.IsBadRequest},
			{options: metav1.ListOptions{ResourceVersionMatch: exact}, failure: apierrors.IsInvalid},
			{options: metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: exact}, failure: apierrors.IsInvalid},
		} {
			list, err := pods.List(ctx, c.options)
			switch {
			case c.failure != nil:
				if !c.failure(err) {
					t.Errorf("list with %+v: got %v, want another error", c.options, err)
				}
			case err != nil || len(list.Items) != c.items || list.ResourceVersion != c.version:
				t.Errorf("%+v: got %d items at version %s and error %v, want %d at %s", c.options, len(list.Items), list.ResourceVersion, err, c.items, c.version)
			}
		}
	})
}

func TestList_Selectors(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	b := pod("b")
	b.Labels, b.Spec.NodeName, b.Status.Phase = nil, "n1", corev1.PodRunning
	create(t, srv, pod("a"), b, job("j1", "fast"), job("j2", "slow"),
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: corev1.NodeSpec{Unschedulable: true}},
		&corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: "e"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "b"}, Source: corev1.EventSource{Component: "kubelet"},
		})
	client, err := dynamic.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	nodes, events := podsResource, podsResource
	nodes.Resource, events.Resource = "nodes", "events"
	for _, c := range []struct {
		resource       dynamic.ResourceInterface
		labels, fields string
		want           []string
	}{
		{client.Resource(podsResource), "app=a", "", []string{"a"}},
		{client.Resource(podsResource), "app!=a", "", []string{"b"}},
		{client.Resource(podsResource), "", "spec.nodeName=n1", []string{"b"}},
		{client.Resource(podsResource), "", "status.phase!=Running", []string{"a"}},
		{client.Resource(podsResource), "", "metadata.name=b,metadata.namespace=default", []string{"b"}},
		{client.Resource(podsResource).Namespace("other"), "", "", []string{}},
		{client.Resource(podsResource), "", "spec.hostNetwork=false", []string{"a", "b"}},
		{client.Resource(nodes), "", "spec.unschedulable=true", []string{"n1"}},
		{client.Resource(events), "", "involvedObject.kind=Pod,involvedObject.name=b,source=kubelet", []string{"e"}},
		{client.Resource(jobs), "", "spec.queue=fast", []string{"j1"}},
		{client.Resource(jobs), "", "metadata.name!=j1", []string{"j2"}},
	} {
		list, err := c.resource.List(background(t), metav1.ListOptions{LabelSelector: c.labels, FieldSelector: c.fields})
		if err != nil {
			t.Errorf("list with labels %q and fields %q failed: %v", c.labels, c.fields, err)
			continue
		}
		names := []string{}
		for _, item := range list.Items {
			names = append(names, item.GetName())
		}
		if diff := cmp.Diff(c.want, names); diff != "" {
			t.Errorf("list with labels %q and fields %q (-want +got):\n%s", c.labels, c.fields, diff)
		}
	}
	for _, fields := range []string{"spec.nope=1", "spec.replicas=2", "a==b==c"} {
		_, err := client.Resource(jobs).List(background(t), metav1.ListOptions{FieldSelector: fields})
		if !apierrors.IsBadRequest(err) {
			t.Errorf("list with fields %s: got %v, want a bad request", fields, err)
		}
	}
}

func TestRegister_AppearsAndVanishes(t *testing.T) {
	srv := start(t, apitest.Config{})
	client, err := dynamic.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, resource := background(t), client.Resource(jobs).Namespace("default")
	if _, err = resource.List(ctx, metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("before the type exists: got %v, want it not found", err)
	}
	if err = srv.Register(trainingJob); err != nil {
		t.Fatal(err)
	}
	if err = srv.Register(trainingJob); err == nil {
		t.Error("the second Register of a type succeeded")
	}
	if _, err = resource.Create(ctx, job("j", "q"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stream, err := resource.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, stream, "ADDED j 2")
	if err = srv.Unregister(jobs); err != nil {
		t.Fatal(err)
	}
	expect(t, stream, "DELETED j 3", "end")
	if _, err = resource.List(ctx, metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after: %v", err)
	}
	if err = srv.Register(trainingJob); err != nil {
		t.Fatal(err)
	}
	if list, err := resource.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 0 {
		t.Errorf("again: %v, %v", list, err)
	}
}

func TestConfig_RefusesNonsense(t *testing.T) {
	for _, cfg := range []apitest.Config{
		{Window: -1},
		{RequestLog: -1},
		{WatchTimeout: -time.Second},
		{StreamingLists: 7},
		{Types: []apitest.Type{{Kind: "NoGroup", Version: "v1"}}},
		{Types: []apitest.Type{{Group: "g.io", Kind: "K", Version: "v1", Resource: "a/b"}}},
		{Types: []apitest.Type{{Group: "a b", Kind: "K", Version: "v1"}}},
		{Types: []apitest.Type{trainingJob, trainingJob}},
	} {
		if srv, err := apitest.New(cfg); err == nil {
			srv.Close()
			t.Errorf("%+v: got no error", cfg)
		}
	}
}
