package logkeeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/kube"
)

// Selection selects the pods whose logs are kept: by types of jobs, and by namespaces. The
// zero value selects none. Any goroutine may use it.
type Selection struct {
	types      []*jobType
	namespaces []string
}

// jobType is a type of a Selection.
type jobType struct {
	name string // as it was written

	mu          sync.Mutex
	resolved    bool // group and kind are known
	group, kind string
}

// namespaceWord is the prefix of a word that selects a namespace.
const namespaceWord = "namespace="

// ParseSelection parses words: a type in kubectl's syntax, such as jobs or
// pytorchjobs.kubeflow.org, or a namespace, as in namespace=ml. The type pods selects all
// pods.
//
// Errors: all words that are neither.
func ParseSelection(words []string) (s Selection, err error) {
	var wrong []error
	for _, word := range words {
		namespace, ok := strings.CutPrefix(word, namespaceWord)
		switch {
		case ok && kube.CheckNamespace(namespace) != nil:
			wrong = append(wrong, kube.CheckNamespace(namespace))
		case ok:
			s.namespaces = append(s.namespaces, namespace)
		default:
			if _, err := kube.Named(word); err != nil {
				wrong = append(wrong, fmt.Errorf("%q is neither a type, such as jobs or pytorchjobs.kubeflow.org, nor a namespace, as in namespace=ml", word))
				continue
			}
			s.types = append(s.types, &jobType{name: word})
		}
	}
	return s, errors.Join(wrong...)
}

// Empty reports whether no pod is selected.
func (s Selection) Empty() bool { return len(s.types)+len(s.namespaces) == 0 }

// Types returns the names of the types, as they were written.
func (s Selection) Types() (names []string) {
	for _, t := range s.types {
		names = append(names, t.name)
	}
	return names
}

// Namespaces returns the namespaces that are selected as a whole.
func (s Selection) Namespaces() []string { return slices.Clone(s.namespaces) }

// resolve resolves the types whose kind is unknown with the cluster. It returns an error
// for each type that stays unknown; such a type is recognized by its name.
func (s Selection) resolve(ctx context.Context, c *kube.Cluster) error {
	var errs []error
	for _, t := range s.types {
		if t.isResolved() {
			continue
		}
		r, err := c.Resolve(ctx, t.name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.set(r.Group, r.Kind)
	}
	return errors.Join(errs...)
}

func (t *jobType) isResolved() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resolved
}

func (t *jobType) set(group, kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resolved, t.group, t.kind = true, group, kind
}

// matches reports whether an owner has the type. Until the server has returned the kind of
// the type, the name decides.
func (t *jobType) matches(o owner) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.resolved {
		return o.group() == t.group && o.kind == t.kind
	}
	name, group, _ := strings.Cut(strings.ToLower(t.name), ".")
	if version, rest, ok := strings.Cut(group, "."); isVersion(version) {
		if group = ""; ok {
			group = rest
		}
	}
	kind := strings.ToLower(o.kind)
	return (name == kind || name == plural(kind)) && (group == "" || group == o.group())
}

// isVersion reports whether a word is a version such as v1 or v1alpha2.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}

// plural returns the usual plural of a kind in lower case.
func plural(kind string) string {
	for _, end := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(kind, end) {
			return kind + "es"
		}
	}
	if stem, ok := strings.CutSuffix(kind, "y"); ok {
		return stem + "ies"
	}
	return kind + "s"
}

// verdict is the decision whether a pod is selected.
type verdict uint8

const (
	no verdict = iota
	yes
	unsure // the owners of its owners decide
)

// podOwner is a pod itself as an owner, for the type pods.
var podOwner = owner{apiVersion: "v1", kind: "Pod"}

// selects reports whether a pod is selected. owners are its known owners, nearest first;
// whole is set if there are no others.
func (s Selection) selects(pod *corev1.Pod, owners []owner, whole bool) verdict {
	if slices.Contains(s.namespaces, pod.Namespace) {
		return yes
	}
	for _, t := range s.types {
		if t.matches(podOwner) || slices.ContainsFunc(owners, t.matches) || slices.ContainsFunc(labeled(pod), t.matches) {
			return yes
		}
	}
	if len(s.types) == 0 || whole {
		return no
	}
	return unsure
}
