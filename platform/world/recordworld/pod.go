package recordworld

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// podsEvery is the ratio of ended jobs to ended jobs with pods.
const podsEvery = 20

// podsOf returns the pods of the last attempt of a job. number is the index of the job in
// its history.
func podsOf(j *jobindex.Job, number int) []member {
	if j.State.Final() && number%podsEvery != 0 {
		return nil
	}
	var all []member
	for i := range min(3, max(1, j.Facts.Pods)) {
		p := podOf(j, i)
		p.write(podBody(j, &p, i))
		all = append(all, p)
	}
	return all
}

// podOf returns a pod without its body.
func podOf(j *jobindex.Job, i int) member {
	p := member{uid: fmt.Sprintf("%s%04x", j.UID[:32], i), name: fmt.Sprintf("%s-%d-%s", j.Name, i, j.UID[:5])}
	p.Namespace = j.Namespace
	p.Owner.UID, p.Owner.Kind, p.Owner.Name = j.UID, j.Kind, j.Name
	p.Labels = map[string]string{"batch.kubernetes.io/job-name": j.Name, "team": j.Labels["team"]}
	started := j.Submitted
	for _, e := range j.Transitions {
		switch e.To {
		case job.Starting:
			started = e.At
			p.steps = nil
		case job.Running, job.Succeeded, job.Failed, job.Aborted:
		default:
			continue
		}
		if len(p.steps) == 0 {
			p.created = started.UnixMicro()
			p.enter(job.Queued, "Pending", "", started)
		}
		if e.To == job.Starting {
			continue
		}
		reason := ""
		if e.To == job.Failed {
			reason = j.Reason
		}
		p.enter(e.To, string(e.To), reason, e.At)
	}
	if len(p.steps) == 0 {
		p.created = started.UnixMicro()
		p.enter(job.Queued, "Unschedulable", "Unschedulable", started)
	}
	for k := range p.steps {
		p.steps[k].version = j.Version - 6 + uint64Version(k)
	}
	return p
}

// podBody returns the JSON of the last revision of a pod.
func podBody(j *jobindex.Job, p *member, i int) []byte {
	last := p.steps[len(p.steps)-1]
	at := time.UnixMicro(last.at)
	status := object{"phase": last.raw}
	node := fmt.Sprintf("gpu-%03d", (int(j.ID)*7+i)%240)
	container := object{"name": "main", "image": "train", "ready": false, "restartCount": 0}
	switch last.state {
	case job.Queued:
		node = ""
		status["phase"] = "Pending"
		status["conditions"] = []object{{
			"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": stamp(at),
			"message": "0/240 nodes are available: 180 Insufficient nvidia.com/gpu, 52 node(s) had untolerated taint {maintenance: true}, 8 node(s) didn't match Pod's node affinity/selector.",
		}}
	case job.Running:
		container["ready"], container["state"] = true, object{"running": object{"startedAt": stamp(at)}}
	case job.Failed:
		container["state"] = object{"terminated": object{"exitCode": 137, "reason": last.reason, "startedAt": stamp(at.Add(-time.Minute)), "finishedAt": stamp(at)}}
	case job.Succeeded:
		container["state"] = object{"terminated": object{"exitCode": 0, "reason": "Completed", "startedAt": stamp(at.Add(-time.Minute)), "finishedAt": stamp(at)}}
	}
	if node != "" {
		status["containerStatuses"] = []object{container}
	}
	return encode(object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{
			"name": p.name, "namespace": p.Namespace, "uid": p.uid, "labels": p.Labels, "creationTimestamp": stamp(time.UnixMicro(p.created)),
			"ownerReferences": []object{{"kind": j.Kind, "name": j.Name, "uid": j.UID, "controller": true}},
		},
		"spec":   object{"nodeName": node, "containers": []object{{"name": "main", "image": "registry.example.com/train:2026-11", "resources": object{"limits": object{"nvidia.com/gpu": "8"}}}}},
		"status": status,
	})
}
