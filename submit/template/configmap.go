package template

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/kube"
)

// ConfigMapLabel is the label, with the value "true", of ConfigMaps that hold templates.
const ConfigMapLabel = "vedette.io/templates"

// AddConfigMaps adds the templates of the ConfigMaps of a namespace that have the label
// [ConfigMapLabel], in the order of their names. Each of their entries is the file of a
// template if its name ends in .yaml or .yml. Broken ones become broken entries.
//
// Errors: those of the list; no template is added then. There are more than 500 templates.
func (s *Set) AddConfigMaps(ctx context.Context, cluster *kube.Cluster, namespace string) error {
	failed := func(err error) error {
		return fmt.Errorf("the templates in ConfigMaps of the namespace %s cannot be read: %w", namespace, err)
	}
	client, err := kube.For[corev1.ConfigMap](cluster, kube.ClientConfig{})
	if err != nil {
		return failed(err)
	}
	found, err := kube.Collect(client.List(ctx, kube.Where{Namespace: namespace, LabelSelector: ConfigMapLabel + "=true"}))
	if err != nil {
		return failed(err)
	}
	slices.SortFunc(found, func(a, b *corev1.ConfigMap) int { return cmp.Compare(a.Name, b.Name) })
	n := 0
	for _, m := range found {
		for _, key := range slices.Sorted(maps.Keys(m.Data)) {
			if !isTemplate(key) {
				continue
			}
			if n++; n > maxFiles {
				return failed(fmt.Errorf("there are more than %d", maxFiles))
			}
			s.Add(fmt.Sprintf("configmap/%s/%s/%s", m.Namespace, m.Name, key), key, []byte(m.Data[key]))
		}
	}
	return nil
}
