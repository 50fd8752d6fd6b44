package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// busy returns pods of a cluster with many teams: each Deployment has its own name, image
// digest, checksum and environment, and each pod its own container IDs and name of a token.
// These are random, and therefore incompressible. each is the number of pods of a
// Deployment.
func busy(each int) func(seed uint64, i int) Object {
	return func(seed uint64, i int) Object { return busyPod(seed, i, i/each) }
}

// busyMixed is busy in a random order, as watch caches list that keep no order, and in
// namespaces of very different sizes: the largest of 50 has a third of the Deployments.
func busyMixed(seed uint64, i int) Object {
	i = i&^(shuffled-1) | i*40503&(shuffled-1) // the factor is odd, so each pod occurs once
	p := busyPod(seed, i, i/perDeployment)
	share := rand.New(rand.NewPCG(seed, uint64(i/perDeployment)<<32|3)).Float64()
	p.SetNamespace(fmt.Sprintf("team-%02d", int(50*math.Pow(share, 4))))
	return p
}

// shuffled is the number of pods whose order is changed together.
const shuffled = 1 << 16

func busyPod(seed uint64, i, group int) Object {
	shared := rand.New(rand.NewPCG(seed, uint64(group)<<32|1)) // the same for all pods of a Deployment
	own := rand.New(rand.NewPCG(seed, uint64(i)<<32|2))
	p := pod(i)
	p.Namespace = fmt.Sprintf("team-%02d", group%50)
	token := "-" + word(own)
	app := word(shared) + "-" + word(shared)
	rename := strings.NewReplacer(p.Labels["app"], app)
	p.Name = fmt.Sprintf("%s-%08x-%05x%03x", app, shared.Uint32(), own.IntN(1<<20), i%(1<<12))
	p.GenerateName = app + "-"
	p.Labels["app"], p.Labels["app.kubernetes.io/name"] = app, app
	p.Labels["pod-template-hash"] = fmt.Sprintf("%08x", shared.Uint32())
	p.Annotations["checksum/config"] = hex(shared, 64)
	p.OwnerReferences[0].Name = app
	p.Spec.ServiceAccountName = app
	for c := range p.Spec.Containers {
		spec, status := &p.Spec.Containers[c], &p.Status.ContainerStatuses[c]
		digest := hex(shared, 64)
		spec.Image = rename.Replace(spec.Image)
		status.Image = spec.Image
		status.ImageID = "registry.example.com/" + app + "/" + spec.Name + "@sha256:" + digest
		status.ContainerID = "containerd://" + hex(own, 64)
		for a := range spec.Args {
			spec.Args[a] = rename.Replace(spec.Args[a])
		}
		for m := range spec.VolumeMounts {
			spec.VolumeMounts[m].MountPath = rename.Replace(spec.VolumeMounts[m].MountPath)
			if spec.VolumeMounts[m].ReadOnly {
				spec.VolumeMounts[m].Name += token
			}
		}
		spec.Env = environment(shared, len(spec.Env))
	}
	return p
}

// environment returns variables with words, numbers and tokens as values.
func environment(r *rand.Rand, n int) []corev1.EnvVar {
	env := make([]corev1.EnvVar, n)
	for i := range env {
		env[i].Name = strings.ToUpper(word(r) + "_" + word(r))
		switch i % 3 {
		case 0:
			env[i].Value = word(r) + "." + word(r) + ".svc.cluster.local:" + fmt.Sprint(1024+r.IntN(60_000))
		case 1:
			env[i].Value = hex(r, 32)
		case 2:
			env[i].Value = word(r) + "-" + word(r) + "-" + word(r)
		}
	}
	return env
}

// word returns a pronounceable word.
func word(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var text strings.Builder
	for range 2 + r.IntN(3) {
		text.WriteByte(consonants[r.IntN(len(consonants))])
		text.WriteByte(vowels[r.IntN(len(vowels))])
	}
	return text.String()
}

// hex returns random hexadecimal digits.
func hex(r *rand.Rand, digits int) string {
	var text strings.Builder
	for text.Len() < digits {
		fmt.Fprintf(&text, "%016x", r.Uint64())
	}
	return text.String()[:digits]
}
