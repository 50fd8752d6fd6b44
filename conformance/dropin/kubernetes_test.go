package dropin_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/outcome"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

var (
	full      = flag.Bool("dropin.full", false, "2,000 pods on 100 nodes; the default is a tenth")
	factories = flag.String("dropin.factories", "stock,vedette", "informer factories to compare")
)

// The programs, by name.
const (
	scheduler = "kube-scheduler"
	manager   = "kube-controller-manager"
)

// result is the outcome and the usage of a run.
type result struct {
	factory  string
	took     time.Duration
	worked   map[string]usage // by program, after the workload
	again    map[string]usage // by program, when it was ready after a restart
	settled  map[string]usage // by program, after the restart and the probe
	left     outcome.Outcome
	events   map[string]int
	requests requests
}

// TestKubernetes runs kube-scheduler and kube-controller-manager on client-go's informer
// factories and on ours. The outcome must be the same.
func TestKubernetes(t *testing.T) {
	path := build(t)
	of := size{nodes: 10, pods: 200, jobs: 20, deployments: 5}
	if *full {
		of = size{nodes: 100, pods: 2000, jobs: 200, deployments: 50}
	}
	names := strings.Split(*factories, ",")
	results := make([]*result, len(names))
	t.Run("run", func(t *testing.T) {
		for i, factory := range names {
			t.Run(factory, func(t *testing.T) {
				if !*full { // the short form mostly waits, so its measurements mean little
					t.Parallel()
				}
				results[i] = runOn(t, path, factory, of)
			})
		}
	})
	if t.Failed() {
		return
	}
	t.Logf("%+v\n%s", of, table(results))
	for _, r := range results[1:] {
		for _, d := range outcome.Differences(results[0].left, r.left) {
			t.Errorf("%s (-) and %s (+) differ: %s", results[0].factory, r.factory, d)
		}
	}
}

// runOn runs the workload on a control plane of its own.
func runOn(t *testing.T, path, factory string, of size) *result {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.WithoutControllers, Nodes: -1})
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	dyn, err := dynamic.NewForConfigAndClient(c.RESTConfig(), client.RESTClient().(*rest.RESTClient).Client)
	if err != nil {
		t.Fatal(err)
	}
	w := &workload{size: of, client: client}
	began := time.Now()
	step := func(what string) { t.Logf("%s after %v", what, time.Since(began).Round(100*time.Millisecond)) }
	r := &result{factory: factory}
	programs := map[string]*program{}
	for _, name := range []string{manager, scheduler} {
		programs[name], _ = start(t, path, factory, name, c)
	}
	step("programs are ready")
	began = time.Now()
	w.prepare(t)
	w.fill(t)
	step("created")
	w.settle(t, "1")
	step("settled")
	checkPlaces(t, client)
	w.roll(t)
	w.settle(t, "2")
	checkPlaces(t, client)
	r.took = time.Since(began)
	r.worked = used(t, programs)
	checkAccelerated(t, factory, r.worked)
	step("rolled")
	r.again = map[string]usage{}
	for name, p := range programs {
		p.end(t)
		programs[name], r.again[name] = start(t, path, factory, name, c)
	}
	step("restarted")
	w.probe(t)
	r.settled = used(t, programs)
	step("probed")
	w.remove(t)
	patience.Until(t, "services have their endpoints", func() string {
		return checkEndpoints(t, client, of.deployments-of.deployments/deletedPart)
	})
	step("removed")
	checkOwners(t, dyn)
	checkPlaces(t, client)
	if r.left, err = rules.Read(t.Context(), dyn); err != nil {
		t.Fatal(err)
	}
	if r.events, err = reasons(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if r.requests, err = countRequests(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		p.end(t)
	}
	return r
}

func used(t *testing.T, programs map[string]*program) map[string]usage {
	t.Helper()
	all := map[string]usage{}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		all[name] = programs[name].usage(t)
	}
	return all
}

// checkAccelerated fails the test if one of our informers fell back to client-go's.
func checkAccelerated(t *testing.T, factory string, programs map[string]usage) {
	t.Helper()
	for name, u := range programs {
		t.Logf("%s: informers by the reason why they are not accelerated: %v; decodes by type: %v", name, u.Informers, u.Decodes)
		if factory != "stock" && (len(u.Informers) != 1 || u.Informers[""] == 0) {
			t.Errorf("%s has informers that are not accelerated: %v", name, u.Informers)
		}
	}
}
