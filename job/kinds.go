package job

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// builtIn are the kinds of this package. A kind precedes the kinds of the objects that its
// operator creates.
var builtIn = slices.Concat(
	appWrapperKinds, katibKinds, argoKinds, tektonKinds, kubeflowKinds, rayKinds, sparkKinds, flinkKinds, volcanoKinds, jobSetKinds, batchKinds,
	leaderWorkerSetKinds, kserveKinds, kueueKinds, coreKinds,
)

// catalog has all kinds. It does not change.
type catalog struct {
	all    []*Kind
	byType map[string]*Kind // by Object.Type
	byName map[string]*Kind // by Kind.Type
	labels map[string]int   // the number of kinds by their PodLabel
}

// registry is the catalog with the built-in kinds and those of Define.
var registry atomic.Pointer[catalog]

// defining is held by Define.
var defining sync.Mutex

func init() {
	all := make([]*Kind, len(builtIn))
	for i := range builtIn {
		all[i] = &builtIn[i]
	}
	registry.Store(catalogOf(all))
}

func catalogOf(all []*Kind) *catalog {
	c := &catalog{all, map[string]*Kind{}, map[string]*Kind{}, map[string]int{}}
	for _, k := range all {
		c.byType[k.Group+"/"+k.Name] = k
		c.byName[k.Type()] = k
		c.labels[k.PodLabel]++
	}
	return c
}

// Define adds kinds to those of this package, such as the types of a company. They precede
// the others. A program calls it before it reads objects; a kind of an earlier call with the
// same type is replaced. Any goroutine may call it.
//
// Errors: a kind without a name or a resource, or of a type that this package has.
func Define(kinds ...Kind) error {
	defining.Lock()
	defer defining.Unlock()
	all := registry.Load().all
	for _, k := range kinds {
		if k.Name == "" || k.Resource == "" {
			return fmt.Errorf("define the kind %q of the group %q: it has no name or no resource", k.Name, k.Group)
		}
		if slices.ContainsFunc(builtIn, func(b Kind) bool { return b.Group == k.Group && (b.Name == k.Name || b.Resource == k.Resource) }) {
			return fmt.Errorf("define the kind %s: it is built in; only its states can be changed", k.Type())
		}
		all = slices.DeleteFunc(slices.Clone(all), func(other *Kind) bool { return other.Group == k.Group && other.Name == k.Name })
		all = append([]*Kind{&k}, all...)
	}
	registry.Store(catalogOf(all))
	return nil
}

// KindOf returns the kind of an object by its apiVersion and kind, or nil if it has no rules of
// its own. The kind is the same for all versions of an API.
func KindOf(apiVersion, kind string) *Kind {
	return registry.Load().byType[groupOf(apiVersion)+"/"+kind]
}

// kind returns the kind of the object, or an empty one.
func (o Object) kind() *Kind {
	if k := registry.Load().byType[o.Type()]; k != nil {
		return k
	}
	return &Kind{}
}

// KindOfType returns the kind of a type such as "pytorchjobs.kubeflow.org", or nil.
func KindOfType(name string) *Kind { return registry.Load().byName[name] }

// Types returns the types of jobs, such as "pytorchjobs.kubeflow.org". Types whose operators
// create objects of other types come first.
func Types() (names []string) {
	for _, k := range registry.Load().all {
		if k.Job {
			names = append(names, k.Type())
		}
	}
	return names
}

// IsPodLabel reports whether an operator marks the pods of a job with a label.
func IsPodLabel(name string) bool { return name != "" && registry.Load().labels[name] > 0 }

// IsJobType reports whether the objects of a type are jobs.
func IsJobType(name string) bool {
	k := KindOfType(name)
	return k != nil && k.Job
}

// Parents returns the kinds of controllers whose objects are parts of a job, not jobs
// themselves.
func Parents() (names []string) {
	for _, k := range registry.Load().all {
		if k.Job {
			names = append(names, k.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RunFields returns the paths of the fields of all kinds that belong to one run, such as
// "spec.suspend". They differ between a job and its copy.
func RunFields() (paths []string) {
	for _, k := range registry.Load().all {
		for _, path := range append(k.runFields(), k.ofOthers...) {
			paths = append(paths, strings.Join(path, "."))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// SplitType splits "jobs.batch" into the resource and the group.
func SplitType(name string) (resource, group string) {
	resource, group, _ = strings.Cut(name, ".")
	return resource, group
}

// Kinds returns all kinds, in the order of Types.
func Kinds() []*Kind { return slices.Clone(registry.Load().all) }
