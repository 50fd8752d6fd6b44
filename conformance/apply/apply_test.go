// Package apply compares server-side apply of package apitest with that of a real API server.
package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trainjobs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: TrainJob, plural: trainjobs}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	trainJobs   = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "trainjobs"}
)

// step is one write.
type step struct {
	resource schema.GroupVersionResource
	sub      string
	verb     string // create, update, merge, apply, force
	manager  string
	body     string // of apiVersion, kind and name x
}

// steps are writes of several managers. They do not touch fields that a real server defaults.
var steps = []step{
	{configMaps, "", "apply", "a", `"data":{"x":"1","y":"1"}`},
	{configMaps, "", "apply", "a", `"data":{"x":"1","y":"1"}`},
	{configMaps, "", "apply", "b", `"data":{"x":"2"}`},
	{configMaps, "", "force", "b", `"data":{"x":"2"},"metadata":{"name":"x","labels":{"l":"b"}}`},
	{configMaps, "", "merge", "c", `"data":{"z":"3"},"metadata":{"name":"x","labels":{"l":"c"}}`},
	{configMaps, "", "apply", "b", `"data":{"x":"2"}`},
	{configMaps, "", "apply", "b", `"data":{"z":"4"}`},
	{configMaps, "", "apply", "a", `"data":{}`},
	{configMaps, "", "update", "d", `"data":{"only":"d"}`},
	{configMaps, "", "apply", "", `"data":{}`},
	{configMaps, "", "apply", "a", `"data":{},"metadata":{"name":"y"}`},
	{configMaps, "", "apply", "a", `"data":{"x":5}`},
	{configMaps, "", "apply", "a", `"unknown":{"x":5}`},
	{configMaps, "", "apply", "a", `"data":{},"metadata":{"name":"x","managedFields":[{"manager":"z"}]}`},
	{services, "", "create", "web", `"spec":{"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",` +
		`"ports":[{"port":80,"name":"http","protocol":"TCP","targetPort":80}],"selector":{"a":"b"}}`},
	{services, "", "apply", "mesh", `"spec":{"ports":[{"port":15000,"protocol":"TCP","name":"mesh"}]}`},
	{services, "", "apply", "mesh", `"spec":{"ports":[{"port":80,"protocol":"TCP","name":"other"}]}`},
	{services, "", "apply", "mesh", `"spec":{}`},
	{deployments, "", "apply", "a", `"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"a"}]}}}`},
	{deployments, "", "apply", "b", `"spec":{"template":{"spec":{"containers":[{"name":"side","image":"b","env":[{"name":"E","value":"1"}]}]}}}`},
	{deployments, "", "apply", "c", `"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"side","image":"c"}]}}}`},
	{deployments, "status", "merge", "status", `"status":{"replicas":2,"observedGeneration":1}`},
	{deployments, "status", "merge", "status", `"metadata":{"name":"x","annotations":{"a":"b"},"labels":{"l":"m"}}`},
	{services, "status", "merge", "status", `"metadata":{"name":"x","annotations":{"a":"b"},"labels":{"l":"m"}}`},
	{deployments, "status", "apply", "other", `"status":{"replicas":1}`},
	{deployments, "status", "force", "other", `"status":{"replicas":1},"spec":{"replicas":9}`},
	{deployments, "", "apply", "b", `"spec":{"template":{"spec":{}}}`},
	{deployments, "", "apply", "status", `"status":{"replicas":7}`},
	{trainJobs, "", "create", "web", `"spec":{"replicas":2,"list":[1,2],"queue":"a"}`},
	{trainJobs, "", "apply", "quota", `"spec":{"queue":"b"}`},
	{trainJobs, "", "force", "quota", `"spec":{"queue":"b","list":[3]}`},
	{trainJobs, "status", "apply", "operator", `"status":{"phase":"Running"}`},
	{trainJobs, "status", "merge", "other", `"status":{"phase":"Failed"}`},
	{trainJobs, "status", "merge", "status", `"metadata":{"name":"x","annotations":{"a":"b"},"labels":{"l":"m"}}`},
	{trainJobs, "status", "apply", "operator", `"status":{"phase":"Running"}`},
	{trainJobs, "", "apply", "quota", `"spec":{}`},
	{trainJobs, "status", "apply", "none", `"status":{},"metadata":{"name":"missing"}`},
}

var kinds = map[string]string{"configmaps": "ConfigMap", "services": "Service", "deployments": "Deployment", "trainjobs": "TrainJob"}

// run makes a step, and describes its result.
func (s step) run(ctx context.Context, client dynamic.Interface) any {
	var body unstructured.Unstructured
	text := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"x"},%s}`, s.resource.GroupVersion(), kinds[s.resource.Resource], s.body)
	if err := json.Unmarshal([]byte(text), &body.Object); err != nil {
		return err
	}
	objects := client.Resource(s.resource).Namespace("default")
	name := body.GetName()
	var sub []string
	if s.sub != "" {
		sub = []string{s.sub}
	}
	if s.body == `"data":{},"metadata":{"name":"y"}` {
		name = "x" // the name in the path
	}
	encoded, err := json.Marshal(body.Object)
	if err != nil {
		return err
	}
	var obj *unstructured.Unstructured
	switch s.verb {
	case "create":
		obj, err = objects.Create(ctx, &body, metav1.CreateOptions{FieldManager: s.manager})
	case "update":
		obj, err = objects.Update(ctx, &body, metav1.UpdateOptions{FieldManager: s.manager}, sub...)
	case "merge":
		obj, err = objects.Patch(ctx, name, types.MergePatchType, encoded, metav1.PatchOptions{FieldManager: s.manager}, sub...)
	default:
		force := s.verb == "force"
		obj, err = objects.Patch(ctx, name, types.ApplyPatchType, encoded, metav1.PatchOptions{FieldManager: s.manager, Force: &force}, sub...)
	}
	if err != nil {
		var status metav1.Status
		if api := apierrors.APIStatus(nil); errors.As(err, &api) {
			status = api.Status()
		}
		out := map[string]any{"reason": string(status.Reason), "code": status.Code, "status": status.Status}
		if apierrors.IsConflict(err) {
			slices.SortFunc(status.Details.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Field, b.Field) })
			out["message"], out["causes"] = status.Message, status.Details.Causes
		}
		return out
	}
	return described(obj)
}

// described returns the owners of an object, its generation, and what was written into it.
func described(obj *unstructured.Unstructured) any {
	owners := map[string]any{}
	for _, e := range obj.GetManagedFields() {
		var fields any
		if err := json.Unmarshal([]byte(e.FieldsV1.GetRawString()), &fields); err != nil {
			return err
		}
		owners[fmt.Sprint(e.Manager, " ", e.Operation, " ", e.Subresource, " ", e.APIVersion, " ", e.FieldsType, " ", e.Time != nil)] = fields
	}
	out := map[string]any{"owners": owners, "labels": obj.GetLabels(), "annotations": obj.GetAnnotations(), "generation": obj.GetGeneration()}
	if obj.GetKind() == "ConfigMap" || obj.GetKind() == "TrainJob" { // without defaults
		for _, member := range []string{"data", "spec", "status"} {
			out[member] = obj.Object[member]
		}
	}
	return out
}

// TestApply: writes of several managers have the same results and errors on both servers.
func TestApply(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, Nodes: -1})
	cluster, err := kube.Connect(kube.Config{REST: plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	all, err := manifest.Parse(t.Context(), "definition.yaml", []byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Create(t.Context(), cluster, all...); err != nil {
		t.Fatal(err)
	}
	crds.Served(t, cluster, "trainjobs.example.com")
	fake := apitest.StartWith(t, apitest.Config{
		Types:     []apitest.Type{{Group: "example.com", Version: "v1", Kind: "TrainJob", Resource: "trainjobs", Namespaced: true, Status: true}},
		Ownership: apitest.OwnershipAlways,
	})
	theirs, ours := newClient(t, plane.RESTConfig()), newClient(t, fake.RESTConfig())
	for i, s := range steps {
		want, got := s.run(t.Context(), theirs), s.run(t.Context(), ours)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("step %d, %+v (-API server +apitest):\n%s", i, s, diff)
		}
	}
}

func newClient(t *testing.T, cfg *rest.Config) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
