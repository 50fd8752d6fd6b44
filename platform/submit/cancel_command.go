package submit

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/kube"
)

// commands is the type of commands to Volcano.
const commands = "commands.v1alpha1.bus.volcano.sh"

var commandType = kube.Resource{Group: "bus.volcano.sh", Version: "v1alpha1", Name: "commands", Kind: "Command", Scope: kube.Namespaced}

// abortion returns the command that makes Volcano abort a job: its pods end, and the job
// stays. Volcano deletes the command after reading it.
func abortion(job *unstructured.Unstructured, name string) *unstructured.Unstructured {
	target := map[string]any{
		"apiVersion": job.GetAPIVersion(), "kind": job.GetKind(), "name": job.GetName(), "uid": string(job.GetUID()), "controller": true,
	}
	command := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": commandType.APIVersion(), "kind": commandType.Kind, "action": "AbortJob", "target": target,
	}}
	command.SetNamespace(job.GetNamespace())
	command.SetName(name)
	command.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: job.GetAPIVersion(), Kind: job.GetKind(), Name: job.GetName(), UID: types.UID(job.GetUID()), Controller: new(true),
	}})
	return command
}
