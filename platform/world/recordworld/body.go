package recordworld

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

type object = map[string]any

// bodyOf returns the JSON of a job.
func bodyOf(j *jobindex.Job) []byte {
	resource, group := job.SplitType(j.Type)
	template := object{
		"metadata": object{"labels": j.Labels},
		"spec": object{
			"restartPolicy": "Never", "priorityClassName": j.Facts.Priority, "schedulerName": "default-scheduler",
			"containers": []object{{
				"name": "main", "image": "registry.example.com/" + j.Labels["team"] + "/train:2026-11", "command": []string{"python", "-m", "train", "--config", "configs/" + j.Name + ".yaml"},
				"resources": object{"limits": object{"nvidia.com/gpu": fmt.Sprint(max(1, j.Facts.GPUs/max(1, j.Facts.Pods))), "memory": "720Gi", "cpu": "48"}},
			}},
		},
	}
	spec := object{"parallelism": j.Facts.Pods, "completions": j.Facts.Pods, "completionMode": "Indexed", "backoffLimit": 3, "template": template}
	switch j.Kind {
	case "PyTorchJob":
		spec = object{"pytorchReplicaSpecs": object{"Worker": object{"replicas": j.Facts.Pods, "restartPolicy": "OnFailure", "template": template}}}
	case "RayJob":
		spec = object{"entrypoint": "python -m train", "rayClusterSpec": object{"workerGroupSpecs": []object{{"groupName": "workers", "replicas": j.Facts.Pods, "template": template}}}}
	}
	if group == "batch.volcano.sh" {
		spec = object{"minAvailable": j.Facts.Pods, "tasks": []object{{"name": "worker", "replicas": j.Facts.Pods, "template": template}}}
	}
	return encode(object{
		"apiVersion": group + "/v1", "kind": j.Kind,
		"metadata": object{
			"name": j.Name, "namespace": j.Namespace, "uid": j.UID, "resourceVersion": j.Version.String(), "labels": j.Labels,
			"creationTimestamp": stamp(j.Submitted), "annotations": object{"example.com/ticket": "ML-" + j.UID[:4]}, "generation": 1,
		},
		"spec":   spec,
		"status": object{"phase": j.State, "resource": resource, "startTime": stamp(j.Since), "active": active(j.State) * j.Facts.Pods},
	})
}

func active(s job.State) int {
	if s == job.Running || s == job.Starting {
		return 1
	}
	return 0
}

// stamp returns a time in the form of the API server.
func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func encode(o object) []byte {
	b, err := json.Marshal(o)
	if err != nil { // infeasible for maps of texts and numbers
		return []byte("{}")
	}
	return b
}

// factsOf returns the facts of a job in a state, from its body.
func factsOf(body []byte, in job.State) *job.Facts {
	f := job.ParseSpec(body).Facts(in)
	return &f
}
