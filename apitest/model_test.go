package apitest_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestModel_HistoryIsConsistent writes at random and keeps every state. Then an exact list, paged or not, must show the
// state of its version, and a watch from any version must lead from that state to the last one.
func TestModel_HistoryIsConsistent(t *testing.T) {
	testinput.Check(t, func(r *rapid.T) {
		first := rapid.Uint64Range(1, 12).Draw(r, "first version")
		window := rapid.IntRange(1, 30).Draw(r, "window")
		srv, err := apitest.New(apitest.Config{Version: first, Window: window})
		if err != nil {
			r.Fatal(err)
		}
		defer srv.Close()
		states := map[uint64]map[string]string{first: {}}
		writes := rapid.IntRange(0, 40).Draw(r, "writes")
		for range writes {
			write(r, srv)
			states[srv.Version()] = present(r, srv)
		}
		client, err := kubernetes.NewForConfig(protobuf(srv.RESTConfig()))
		if err != nil {
			r.Fatal(err)
		}
		versions := slices.Sorted(maps.Keys(states))
		floor := uint64(0)
		if len(versions) > window+1 {
			floor = versions[len(versions)-1-window]
		}
		for _, version := range versions {
			limit := rapid.Int64Range(0, 3).Draw(r, "limit")
			got, err := listAt(t.Context(), client, version, limit)
			switch {
			case version < floor:
				if !apierrors.IsResourceExpired(err) {
					r.Fatalf("list at %d, the window begins after %d: %v, %v", version, floor, got, err)
				}
			case err != nil:
				r.Fatal(err)
			default:
				if diff := cmp.Diff(states[version], got); diff != "" {
					r.Fatalf("list at %d (-want +got):\n%s", version, diff)
				}
				follow := replay(t.Context(), client, version, srv.Version(), got)
				if diff := cmp.Diff(present(r, srv), follow); diff != "" {
					r.Fatalf("watch from %d (-want +got):\n%s", version, diff)
				}
			}
		}
	})
}

// write creates, changes or deletes one of a few pods.
func write(r *rapid.T, srv *apitest.Server) {
	obj := pod("")
	obj.Namespace = rapid.SampledFrom([]string{"x", "x-y", "y"}).Draw(r, "namespace")
	obj.Name = rapid.SampledFrom([]string{"a", "a-b", "b", "c"}).Draw(r, "name")
	_, err := srv.Get(obj)
	switch {
	case apierrors.IsNotFound(err):
		_, err = srv.Create(obj)
	case err == nil && rapid.Bool().Draw(r, "delete"):
		err = srv.Delete(obj)
	case err == nil:
		_, err = apitest.Modify(srv, obj, func(p *corev1.Pod) { p.Status.Message += "." })
	}
	if err != nil {
		r.Fatal(err)
	}
}

// present returns the versions of the existing pods, by key.
func present(r *rapid.T, srv *apitest.Server) map[string]string {
	objects, err := srv.List(&corev1.Pod{}, "")
	if err != nil {
		r.Fatal(err)
	}
	state := map[string]string{}
	for _, obj := range objects {
		state[obj.GetNamespace()+"/"+obj.GetName()] = obj.GetResourceVersion()
	}
	return state
}

// listAt lists at exactly one version, in pages if there is a limit.
func listAt(ctx context.Context, client kubernetes.Interface, version uint64, limit int64) (map[string]string, error) {
	state := map[string]string{}
	options := metav1.ListOptions{
		ResourceVersion: strconv.FormatUint(version, 10), ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: limit,
	}
	for {
		list, err := client.CoreV1().Pods("").List(ctx, options)
		if err != nil {
			return nil, err
		}
		for _, p := range list.Items {
			state[p.Namespace+"/"+p.Name] = p.ResourceVersion
		}
		if list.Continue == "" {
			return state, nil
		}
		options = metav1.ListOptions{Limit: limit, Continue: list.Continue}
	}
}

// replay applies the events between two versions to a state.
func replay(ctx context.Context, client kubernetes.Interface, from, to uint64, state map[string]string) map[string]string {
	state = maps.Clone(state)
	if from == to {
		return state
	}
	stream, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: strconv.FormatUint(from, 10)})
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	defer stream.Stop()
	for event := range stream.ResultChan() {
		p, ok := event.Object.(*corev1.Pod)
		if !ok {
			return map[string]string{"error": fmt.Sprint(event)}
		}
		key := p.Namespace + "/" + p.Name
		_, known := state[key]
		if known == (event.Type == watch.Added) {
			return map[string]string{"error": fmt.Sprintf("%s of %s, known: %v", event.Type, key, known)}
		}
		if state[key] = p.ResourceVersion; event.Type == watch.Deleted {
			delete(state, key)
		}
		if p.ResourceVersion == strconv.FormatUint(to, 10) {
			return state
		}
	}
	return map[string]string{"error": "the watch ended early"}
}
