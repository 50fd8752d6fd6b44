package workload

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Sizes of ConfigMaps, in bytes of their data: most are small, few are large.
const (
	smallestConfig = 100
	largestConfig  = 500 << 10
)

// configMap has between 100 B and 500 KB of configuration; half of them have
// less than 2 KB, one in a hundred more than 100 KB.
func configMap(seed uint64, i int) Object {
	r := random(seed, i)
	size := smallestConfig * math.Pow(largestConfig/smallestConfig, math.Pow(r.Float64(), 1.5))
	if i%8 == 0 { // includes the extreme sizes even in small sets
		size = smallestConfig
	}
	return &corev1.ConfigMap{ObjectMeta: meta("config", i), Data: map[string]string{"config.yaml": settings(r, int(size))}}
}

// settings returns about size bytes of configuration.
func settings(r *rand.Rand, size int) string {
	var text strings.Builder
	text.Grow(size)
	for n := 0; text.Len() < size; n++ {
		fmt.Fprintf(&text, "setting-%03d: value-%d\n", n%200, r.IntN(10_000))
	}
	return text.String()[:size]
}

// secret has as many bytes as a key pair.
func secret(seed uint64, i int) Object {
	r := random(seed, i)
	return &corev1.Secret{
		ObjectMeta: meta("secret", i), Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{"tls.crt": pem(r, "CERTIFICATE", 1200), "tls.key": pem(r, "PRIVATE KEY", 1200)},
	}
}

func pem(r *rand.Rand, what string, size int) []byte {
	return fmt.Appendf(nil, "-----BEGIN %s-----\n%s\n-----END %s-----\n", what, base64.StdEncoding.EncodeToString(bytesOf(r, size)), what)
}

// bytesOf returns incompressible bytes.
func bytesOf(r *rand.Rand, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// small is a minimal pod with index values, for measuring the overhead of stores.
func small(_ uint64, i int) Object {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("pod-%06d", i), Namespace: fmt.Sprintf("team-%02d", i%50),
		UID: meta("pod", i).UID,
	}}
	p.Spec.NodeName = fmt.Sprintf("node-%04d", i%1000)
	return p
}

// sparse objects have a name and nothing else.
func sparse(_ uint64, i int) Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("sparse-%06d", i), Namespace: "default"}}
}

// annotated objects have 200 KB of annotations.
func annotated(seed uint64, i int) Object {
	c := &corev1.ConfigMap{ObjectMeta: meta("annotated", i)}
	c.Annotations = map[string]string{"example.com/applied": settings(random(seed, i), 200<<10)}
	return c
}

// noise objects have nothing in common.
func noise(seed uint64, i int) Object {
	r := random(seed, i)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()), Namespace: fmt.Sprintf("n%04x", r.IntN(1<<16)), UID: meta("noise", i).UID,
	}}
	s.Data = map[string][]byte{fmt.Sprintf("k%x", r.Uint32()): bytesOf(r, 4<<10)}
	return s
}
