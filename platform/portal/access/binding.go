package access

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// bindings watches the role bindings of a cluster.
type bindings struct {
	roles     *informer.Informer[rbacv1.RoleBinding]
	all       *informer.Informer[rbacv1.ClusterRoleBinding]
	bySubject *informer.Index[rbacv1.RoleBinding]
	changed   func(subjects []string)
}

// subjectKeys returns the keys of the subjects of a binding.
func subjectKeys(namespace string, subjects []rbacv1.Subject) (keys []string) {
	seen := map[string]bool{}
	for _, s := range subjects {
		key := ""
		switch s.Kind {
		case rbacv1.UserKind:
			key = userKey(s.Name)
		case rbacv1.GroupKind:
			key = groupKey(s.Name)
		case rbacv1.ServiceAccountKind:
			key = userKey("system:serviceaccount:" + cmp.Or(s.Namespace, namespace) + ":" + s.Name)
		}
		if key != "" && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

func userKey(name string) string  { return "u:" + name }
func groupKey(name string) string { return "g:" + name }

// keys returns the keys under which bindings name a subject.
func (s subject) keys() []string {
	keys := []string{userKey(s.name)}
	for _, group := range s.groups {
		keys = append(keys, groupKey(group))
	}
	return keys
}

// newBindings returns bindings that are not watched yet. changed is called with the subjects of
// each binding that changes.
func newBindings(c *kube.Cluster, log *slog.Logger, changed func([]string)) (*bindings, error) {
	roleBindings, err := kube.Named("rolebindings.v1.rbac.authorization.k8s.io")
	if err != nil {
		return nil, err
	}
	clusterRoleBindings, err := kube.Named("clusterrolebindings.v1.rbac.authorization.k8s.io")
	if err != nil {
		return nil, err
	}
	b := &bindings{changed: changed}
	if b.roles, err = informer.New[rbacv1.RoleBinding](c.Source(roleBindings, kube.Selection{}), informer.Config{Logger: log}); err != nil {
		return nil, err
	}
	if b.all, err = informer.New[rbacv1.ClusterRoleBinding](c.Source(clusterRoleBindings, kube.Selection{}), informer.Config{Logger: log}); err != nil {
		return nil, err
	}
	b.bySubject = informer.IndexByEach(b.roles, func(r *rbacv1.RoleBinding) []string { return subjectKeys(r.Namespace, r.Subjects) })
	return b, nil
}

// run watches the bindings until ctx ends.
func (b *bindings) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { errs[0] = b.roles.Run(ctx) })
	wg.Go(func() { errs[1] = b.all.Run(ctx) })
	wg.Go(func() {
		for e := range b.roles.Events(ctx) {
			announce(b, e, func(r *rbacv1.RoleBinding) []string { return subjectKeys(r.Namespace, r.Subjects) })
		}
	})
	wg.Go(func() {
		for e := range b.all.Events(ctx) {
			announce(b, e, func(r *rbacv1.ClusterRoleBinding) []string { return subjectKeys("", r.Subjects) })
		}
	})
	wg.Wait()
	return errors.Join(errs[:]...)
}

// announce reports the old and the new subjects of a changed binding.
func announce[T any](b *bindings, e informer.Event[T], subjects func(*T) []string) {
	if e.Initial() {
		return
	}
	var keys []string
	if old, ok, err := e.Old(); ok && err == nil {
		keys = subjects(old)
	}
	if now, err := e.Object(); err == nil {
		keys = append(keys, subjects(now)...)
	}
	if len(keys) > 0 {
		b.changed(keys)
	}
}

// ready reports whether the bindings are loaded.
func (b *bindings) ready() bool {
	h, _ := b.roles.Health()
	return h.Ready() == nil
}

// candidates returns the namespaces in which a binding names a subject, with the roles bound there.
// Equal ClusterRoles give equal rights as far as RBAC decides. A Role of a namespace is never equal
// to another one.
func (b *bindings) candidates(who subject) (map[string]map[string]bool, error) {
	found := map[string]map[string]bool{}
	now := b.roles.Snapshot()
	for _, key := range who.keys() {
		for binding, err := range b.bySubject.Get(now, key) {
			if err != nil {
				return nil, err
			}
			role := binding.RoleRef.Kind + "/" + binding.RoleRef.Name
			if binding.RoleRef.Kind != "ClusterRole" {
				role = binding.Namespace + "/" + role
			}
			if found[binding.Namespace] == nil {
				found[binding.Namespace] = map[string]bool{}
			}
			found[binding.Namespace][role] = true
		}
	}
	return found, nil
}
