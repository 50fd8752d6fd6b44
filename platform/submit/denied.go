package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/kube"
)

// Right is the right that one request needs.
type Right struct {
	// Verb is the RBAC verb: get, list, watch, create, patch, delete.
	Verb     string
	Resource kube.Resource
	// Subresource is empty, or as in "log" of pods.
	Subresource string
	// Namespace is empty for all namespaces and for cluster-scoped types.
	Namespace string
	// Also has more verbs for the same role.
	Also []string
}

// DeniedError reports a missing right, with a role that grants it.
type DeniedError struct {
	// User is the server's name for the credentials; may be empty.
	User string
	// Verb and Resource are the right: "create", "jobs.batch" or "pods/log".
	Verb, Resource string
	// Namespace is empty for a right in all namespaces.
	Namespace string
	// Role is the YAML of a role and its binding that grant the right. An administrator
	// can apply it.
	Role string
	// Err is the refusal.
	Err error
}

// Error implements error.
func (e *DeniedError) Error() string {
	user, where := "you", "in the namespace "+e.Namespace
	if e.User != "" {
		user = fmt.Sprintf("the user %s", e.User)
	}
	if e.Namespace == "" {
		where = "in all namespaces"
	}
	return fmt.Sprintf("%s may not %s %s %s", user, e.Verb, e.Resource, where)
}

// Unwrap returns the refusal.
func (e *DeniedError) Unwrap() error { return e.Err }

// Denied returns a *DeniedError if err is a refusal because right is missing, and err
// otherwise. A refusal by admission, such as an exceeded quota, also has the code 403:
// Denied checks with the server whether the right exists, and uses the text of err only if
// the server does not answer.
func Denied(ctx context.Context, cluster *kube.Cluster, err error, right Right) error {
	if !apierrors.IsForbidden(err) || errors.As(err, new(*DeniedError)) {
		return err
	}
	missing := lacksRight(err)
	if right.Subresource == "" { // Cluster.Allowed supports no subresources
		if yes, _, failed := cluster.Allowed(ctx, right.Verb, right.Resource, right.Namespace, ""); failed == nil {
			missing = !yes
		}
	}
	if !missing {
		return err
	}
	r := right.Resource
	r.Name = joined(r.Name, right.Subresource)
	user, _ := cluster.User(ctx) // the role is useful without the user
	return &DeniedError{
		User: user, Verb: right.Verb, Resource: r.String(), Namespace: right.Namespace,
		Role: roleFor(user, right), Err: err,
	}
}

// lacksRight reports whether a refusal has the text of the server's authorizer, unlike a
// refusal by admission.
func lacksRight(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && strings.Contains(status.Status().Message, " cannot ") && strings.Contains(status.Status().Message, "User \"")
}

func joined(name, sub string) string {
	if sub == "" {
		return name
	}
	return name + "/" + sub
}

// serviceAccount is the prefix of the user names of service accounts.
const serviceAccount = "system:serviceaccount:"

// RoleFor returns the YAML of a role with a right, and of its binding to a user, for a
// program that detects the refusal itself.
func RoleFor(user string, right Right) string { return roleFor(user, right) }

// roleFor returns the YAML of a role with a right, and of its binding to a user.
func roleFor(user string, right Right) string {
	kind, meta := "Role", map[string]any{"name": "vedette-" + right.Verb + "-" + strings.ReplaceAll(joined(right.Resource.Name, right.Subresource), "/", "-")}
	if right.Namespace == "" {
		kind = "ClusterRole"
	} else {
		meta["namespace"] = right.Namespace
	}
	const group = "rbac.authorization.k8s.io"
	subject := map[string]any{"kind": "User", "apiGroup": group, "name": user}
	if namespace, name, ok := strings.Cut(strings.TrimPrefix(user, serviceAccount), ":"); ok && strings.HasPrefix(user, serviceAccount) {
		subject = map[string]any{"kind": "ServiceAccount", "namespace": namespace, "name": name}
	}
	role := map[string]any{
		"apiVersion": group + "/v1", "kind": kind, "metadata": meta,
		"rules": []any{map[string]any{
			"apiGroups": []any{right.Resource.Group},
			"resources": []any{joined(right.Resource.Name, right.Subresource)},
			"verbs":     append([]string{right.Verb}, right.Also...),
		}},
	}
	binding := map[string]any{
		"apiVersion": group + "/v1", "kind": kind + "Binding", "metadata": meta,
		"roleRef":  map[string]any{"apiGroup": group, "kind": kind, "name": meta["name"]},
		"subjects": []any{subject},
	}
	return document(role) + "---\n" + document(binding)
}

// document returns YAML for an object whose strings may be foreign.
func document(object map[string]any) string {
	text, err := json.Marshal(object)
	if err != nil {
		return "" // impossible for maps of strings
	}
	var ascii strings.Builder
	for _, r := range string(text) { // in JSON, such characters occur only in strings
		switch {
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case r >= 0x7f:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			ascii.WriteRune(r)
		}
	}
	out, err := yaml.JSONToYAML([]byte(ascii.String()))
	if err != nil {
		return ""
	}
	return string(out)
}
