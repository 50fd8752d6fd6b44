package template

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/kube"
)

// ConfigMapLabel is the label, with the value "true", of ConfigMaps with templates.
const ConfigMapLabel = "vedette.io/templates"

// configFile is an entry of a ConfigMap.
type configFile struct{ name, key, text string }

// AddConfigMaps adds the templates in the ConfigMaps of a namespace with the label
// [ConfigMapLabel], ordered by name. Each entry whose name ends in .yaml or .yml is a
// template. Invalid templates become broken entries.
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
	var files []configFile
	for m, err := range client.List(ctx, kube.Where{Namespace: namespace, LabelSelector: ConfigMapLabel + "=true"}) {
		if err != nil {
			return failed(err)
		}
		for key, text := range m.Data {
			if isTemplate(key) {
				files = append(files, configFile{m.Name, key, text})
			}
		}
		if len(files) > maxFiles {
			return failed(fmt.Errorf("there are more than %d", maxFiles))
		}
	}
	slices.SortFunc(files, func(a, b configFile) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.key, b.key)) })
	for _, f := range files {
		s.Add(fmt.Sprintf("configmap/%s/%s/%s", namespace, f.name, f.key), f.key, []byte(f.text))
	}
	return nil
}
