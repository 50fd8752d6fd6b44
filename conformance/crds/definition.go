package crds

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// file is a definition in a module.
type file struct {
	module
	name string
}

const (
	trainingFolder = "manifests/base/crds/kubeflow.org_"
	trainerFolder  = "manifests/base/crds/trainer.kubeflow.org_"
	rayFolder      = "config/crd/bases/ray.io_"
	kueueFolder    = "config/components/crd/bases/kueue.x-k8s.io_"
)

// files are the definitions in modules, by the names of their types.
var files = map[string]file{
	"pytorchjobs.kubeflow.org":                     {trainingOperator, trainingFolder + "pytorchjobs.yaml"},
	"tfjobs.kubeflow.org":                          {trainingOperator, trainingFolder + "tfjobs.yaml"},
	"mpijobs.kubeflow.org":                         {trainingOperator, trainingFolder + "mpijobs.yaml"},
	"xgboostjobs.kubeflow.org":                     {trainingOperator, trainingFolder + "xgboostjobs.yaml"},
	"paddlejobs.kubeflow.org":                      {trainingOperator, trainingFolder + "paddlejobs.yaml"},
	"jaxjobs.kubeflow.org":                         {trainingOperator, trainingFolder + "jaxjobs.yaml"},
	"trainjobs.trainer.kubeflow.org":               {trainer, trainerFolder + "trainjobs.yaml"},
	"trainingruntimes.trainer.kubeflow.org":        {trainer, trainerFolder + "trainingruntimes.yaml"},
	"clustertrainingruntimes.trainer.kubeflow.org": {trainer, trainerFolder + "clustertrainingruntimes.yaml"},
	"rayjobs.ray.io":                               {kuberay, rayFolder + "rayjobs.yaml"},
	"rayclusters.ray.io":                           {kuberay, rayFolder + "rayclusters.yaml"},
	"jobsets.jobset.x-k8s.io":                      {jobset, "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml"},
	"workloads.kueue.x-k8s.io":                     {kueue, kueueFolder + "workloads.yaml"},
	"localqueues.kueue.x-k8s.io":                   {kueue, kueueFolder + "localqueues.yaml"},
	"clusterqueues.kueue.x-k8s.io":                 {kueue, kueueFolder + "clusterqueues.yaml"},
	"resourceflavors.kueue.x-k8s.io":               {kueue, kueueFolder + "resourceflavors.yaml"},
	"workloadpriorityclasses.kueue.x-k8s.io":       {kueue, kueueFolder + "workloadpriorityclasses.yaml"},
}

// Names returns the names of all types that Install supports.
func Names() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(files)), maps.Keys(volcanoTypes))))
}

// definition returns the definition of a type.
func definition(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	if v, ok := volcanoTypes[name]; ok {
		return v.definition(name), nil
	}
	f, ok := files[name]
	if !ok {
		return nil, fmt.Errorf("there is no definition of %s; known types are %v", name, Names())
	}
	dir, err := f.dir(ctx)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.name)))
	if err != nil {
		return nil, err
	}
	d := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &d.Object); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", f.name, f.path, err)
	}
	if d.GetName() != name {
		return nil, fmt.Errorf("%s of %s defines %s, want %s", f.name, f.path, d.GetName(), name)
	}
	d.Object["spec"] = bare(d.Object["spec"])
	if f.module == kueue {
		err = newestOnly(d)
	}
	return d, err
}

// newestOnly removes all versions except the last, because only Kueue's webhook converts between
// them.
func newestOnly(d *unstructured.Unstructured) error {
	versions, _, err := unstructured.NestedSlice(d.Object, "spec", "versions")
	if err != nil || len(versions) == 0 {
		return fmt.Errorf("%s has no versions: %v", d.GetName(), err)
	}
	last, _ := versions[len(versions)-1].(map[string]any)
	last["served"], last["storage"] = true, true
	return unstructured.SetNestedSlice(d.Object, []any{last}, "spec", "versions")
}

// bare removes the descriptions of a schema, which are most of its size. A property named
// description is a mapping, and remains.
func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for name, below := range v {
			v[name] = bare(below)
		}
	case []any:
		for i, below := range v {
			v[i] = bare(below)
		}
	}
	return v
}
