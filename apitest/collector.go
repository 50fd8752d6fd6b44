package apitest

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// collector deletes objects whose owners are deleted.
type collector struct{ *Server }

// dependent is an object with an owner reference.
type dependent struct {
	table *table
	rev   *revision
}

// dependents returns the objects with a reference to an owner.
func (s collector) dependents(owner types.UID) (all []dependent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.rows.Scan(func(_ string, rev *revision) bool {
			if slices.ContainsFunc(rev.owners, func(o metav1.OwnerReference) bool { return o.UID == owner }) {
				all = append(all, dependent{t, rev})
			}
			return true
		})
	}
	slices.SortFunc(all, func(a, b dependent) int { return int(int64(a.rev.version) - int64(b.rev.version)) })
	return all
}

// owner returns the table and the current state of the object that a reference of an object in a namespace names. known
// is false if the server does not have the type: it then cannot tell whether the owner exists.
func (s collector) owner(ref metav1.OwnerReference, namespace string) (t *table, rev *revision, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	for kind, found := range s.kinds {
		if kind.GroupKind() == gvk.GroupKind() {
			t = found
		}
	}
	if t == nil {
		return nil, nil, false
	}
	if !t.res.Namespaced {
		namespace = ""
	}
	if rev = t.get(keyOf(namespace, ref.Name)); rev != nil && rev.uid != string(ref.UID) {
		rev = nil
	}
	return t, rev, true
}

// removed deletes the dependents of a removed object, and finishes the deletion of owners that waited for it.
func (s collector) removed(removed *revision) {
	for _, d := range s.dependents(types.UID(removed.uid)) {
		s.collectOne(d, false)
	}
	for _, ref := range removed.owners {
		if t, rev, _ := s.owner(ref, removed.namespace); rev != nil {
			s.finishForeground(t, rev)
		}
	}
}

// collectOne deletes an object none of whose owners exists, and removes its references to owners that do not, if
// others do. dying reports whether an owner that is about to go counts as gone.
func (s collector) collectOne(d dependent, dying bool) {
	var gone []types.UID
	for _, ref := range d.rev.owners {
		_, rev, known := s.owner(ref, d.rev.namespace)
		if known && (rev == nil || dying && s.inForeground(rev)) {
			gone = append(gone, ref.UID)
		}
	}
	if len(gone) == 0 {
		return
	}
	if len(gone) < len(d.rev.owners) {
		s.disown(d, gone)
		return
	}
	uid := types.UID(d.rev.uid)
	// An error means that another writer was faster; the object is then no longer what it was.
	_, _, _ = s.delete(d.table, d.rev.key(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}, byTest)
}

// disown removes the references of an object to some owners.
func (s collector) disown(d dependent, owners []types.UID) {
	_, _ = s.change(d.table, d.rev.key(), byTest, func(now Object) (Object, error) {
		if string(now.GetUID()) != d.rev.uid {
			return nil, apierrors.NewNotFound(d.table.res.groupResource(), now.GetName())
		}
		now.SetOwnerReferences(slices.DeleteFunc(now.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return slices.Contains(owners, o.UID) }))
		return now, nil
	})
}

// propagate prepares the deletion of an object by its policy: Orphan frees the dependents; Foreground keeps the object
// until they no longer exist.
func (s collector) propagate(t *table, key string, o metav1.DeleteOptions, dry bool) error {
	if dry {
		return nil
	}
	rev, err := s.find(t, key)
	if err != nil {
		return err
	}
	obj, err := rev.object()
	if err != nil {
		return err
	}
	if err := checkPreconditions(t.res, obj, o.Preconditions); err != nil {
		return err
	}
	uid := types.UID(rev.uid)
	orphans := o.OrphanDependents //lint:ignore SA1019 programs still send it
	switch policy := o.PropagationPolicy; {
	case policy != nil && *policy == metav1.DeletePropagationOrphan, orphans != nil && *orphans:
		for _, d := range s.dependents(uid) {
			s.disown(d, []types.UID{uid})
		}
	case policy != nil && *policy == metav1.DeletePropagationForeground && len(s.dependents(uid)) > 0:
		_, err = s.change(t, key, byTest, func(now Object) (Object, error) {
			if !slices.Contains(now.GetFinalizers(), metav1.FinalizerDeleteDependents) {
				now.SetFinalizers(append(now.GetFinalizers(), metav1.FinalizerDeleteDependents))
			}
			return now, nil
		})
	}
	return err
}

// marked deletes the dependents of an object that waits for them.
func (s collector) marked(t *table, rev *revision) {
	if !s.inForeground(rev) {
		return
	}
	for _, d := range s.dependents(types.UID(rev.uid)) {
		s.collectOne(d, true)
	}
	if now, err := s.find(t, rev.key()); err == nil && now.uid == rev.uid {
		s.finishForeground(t, now)
	}
}

// inForeground reports whether an object is deleted once its dependents are.
func (s collector) inForeground(rev *revision) bool {
	obj, err := rev.object()
	return err == nil && obj.GetDeletionTimestamp() != nil && slices.Contains(obj.GetFinalizers(), metav1.FinalizerDeleteDependents)
}

// finishForeground lets an object go that waited for its dependents, if none is left that blocks it.
func (s collector) finishForeground(t *table, rev *revision) {
	if !s.inForeground(rev) {
		return
	}
	for _, d := range s.dependents(types.UID(rev.uid)) {
		for _, ref := range d.rev.owners {
			if string(ref.UID) == rev.uid && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion {
				return
			}
		}
	}
	_, _ = s.change(t, rev.key(), byTest, func(now Object) (Object, error) {
		now.SetFinalizers(slices.DeleteFunc(now.GetFinalizers(), func(f string) bool { return f == metav1.FinalizerDeleteDependents }))
		return now, nil
	})
}

// created deletes a new object whose owners do not exist.
func (s collector) created(t *table, rev *revision, dry bool) {
	if !dry && len(rev.owners) > 0 {
		s.collectOne(dependent{t, rev}, false)
	}
}
