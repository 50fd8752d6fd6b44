package job

import (
	"slices"
	"strings"
)

// kinds are all kinds. A kind precedes the kinds of the objects that its operator creates.
var kinds = slices.Concat(
	kubeflowKinds, rayKinds, argoKinds, volcanoKinds, jobSetKinds, batchKinds,
	coreKinds, kueueKinds, katibKinds, tektonKinds, sparkKinds, leaderWorkerSetKinds, appWrapperKinds,
)

// byType are the kinds by Object.Type.
var byType = func() map[string]*Kind {
	all := map[string]*Kind{}
	for i := range kinds {
		all[kinds[i].Group+"/"+kinds[i].Name] = &kinds[i]
	}
	return all
}()

// byName are the kinds by Kind.Type.
var byName = func() map[string]*Kind {
	all := map[string]*Kind{}
	for i := range kinds {
		all[kinds[i].Type()] = &kinds[i]
	}
	return all
}()

// KindOf returns the kind of an object by its apiVersion and kind, or nil if it has no rules of
// its own. The kind is the same for all versions of an API.
func KindOf(apiVersion, kind string) *Kind { return byType[groupOf(apiVersion)+"/"+kind] }

// kind returns the kind of the object, or an empty one.
func (o Object) kind() *Kind {
	if k := byType[o.Type()]; k != nil {
		return k
	}
	return &Kind{}
}

// KindOfType returns the kind of a type such as "pytorchjobs.kubeflow.org", or nil.
func KindOfType(name string) *Kind { return byName[name] }

// Types returns the types of jobs, such as "pytorchjobs.kubeflow.org". Types whose operators
// create objects of other types come first.
func Types() (names []string) {
	for i := range kinds {
		if kinds[i].Job {
			names = append(names, kinds[i].Type())
		}
	}
	return names
}

// Parents returns the kinds of controllers whose objects are parts of a job, not jobs
// themselves.
func Parents() (names []string) {
	for i := range kinds {
		if kinds[i].Job {
			names = append(names, kinds[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// SplitType splits "jobs.batch" into the resource and the group.
func SplitType(name string) (resource, group string) {
	resource, group, _ = strings.Cut(name, ".")
	return resource, group
}
