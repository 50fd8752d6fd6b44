package apitest

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// maxGeneratedBase is the length to which servers cut generateName before they add five characters.
const maxGeneratedBase = 58

// createdByUpdate are the built-in kinds whose update creates an object that does not exist.
var createdByUpdate = sets.New(
	schema.GroupKind{Kind: "Endpoints"}, schema.GroupKind{Kind: "Event"}, schema.GroupKind{Group: "events.k8s.io", Kind: "Event"},
	schema.GroupKind{Kind: "LimitRange"}, schema.GroupKind{Kind: "Service"}, schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"},
	schema.GroupKind{Group: rbacGroup, Kind: "Role"}, schema.GroupKind{Group: rbacGroup, Kind: "RoleBinding"},
	schema.GroupKind{Group: rbacGroup, Kind: "ClusterRole"}, schema.GroupKind{Group: rbacGroup, Kind: "ClusterRoleBinding"},
)

const rbacGroup = "rbac.authorization.k8s.io"

// nameRule returns the rule for the names of a type.
func (r *resource) nameRule() validation.ValidateNameFunc {
	switch {
	case r.Group == rbacGroup, r.Kind == "IPAddress", r.Kind == "ClusterTrustBundle", r.Kind == "StorageVersion":
		return func(name string, _ bool) []string { return path.IsValidPathSegmentName(name) }
	case r.Group == "" && r.Kind == "Namespace":
		return validation.NameIsDNSLabel
	case r.Group == "" && r.Kind == "Service":
		return validation.NameIsDNS1035Label
	}
	return validation.NameIsDNSSubdomain
}

// checkMetadata rejects metadata that no server accepts from a client.
func (r *resource) checkMetadata(obj Object) error {
	problems := validation.ValidateObjectMetaAccessor(obj, r.Namespaced, r.nameRule(), field.NewPath("metadata"))
	if len(problems) > 0 {
		return invalid(r, obj.GetName(), problems...)
	}
	return nil
}

// checkMetadataUpdate rejects metadata that no server accepts from a client for an object that exists.
func (r *resource) checkMetadataUpdate(present, next Object) error {
	at := field.NewPath("metadata")
	problems := validation.ValidateObjectMetaAccessor(next, r.Namespaced, r.nameRule(), at)
	problems = append(problems, validation.ValidateObjectMetaAccessorUpdate(next, present, at)...)
	if len(problems) > 0 {
		return invalid(r, present.GetName(), problems...)
	}
	return nil
}

// checkOptions rejects invalid parameters of a write. patch is the type of a patch, or "".
func (c *call) checkOptions(patch types.PatchType) error {
	query := c.handler.URL.Query()
	kind, problems := "", field.ErrorList(nil)
	manager, fields, dry := query.Get("fieldManager"), query.Get("fieldValidation"), query["dryRun"]
	switch c.Verb {
	case VerbCreate:
		kind = "CreateOptions"
		problems = metavalidation.ValidateCreateOptions(&metav1.CreateOptions{DryRun: dry, FieldManager: manager, FieldValidation: fields})
	case VerbUpdate:
		kind = "UpdateOptions"
		problems = metavalidation.ValidateUpdateOptions(&metav1.UpdateOptions{DryRun: dry, FieldManager: manager, FieldValidation: fields})
	case VerbPatch:
		kind = "PatchOptions"
		o := &metav1.PatchOptions{DryRun: dry, FieldManager: manager, FieldValidation: fields}
		if force := query.Get("force"); force != "" {
			o.Force = ptr.To(force == "true" || force == "1")
		}
		problems = metavalidation.ValidatePatchOptions(o, patch)
	}
	return invalidOptions(kind, problems)
}

// invalidOptions returns the error for invalid options of a request; nil if there are no problems.
func invalidOptions(kind string, problems field.ErrorList) error {
	if len(problems) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", problems)
}

// invalid returns the error for an object that is not valid.
func invalid(res *resource, name string, problems ...*field.Error) error {
	return apierrors.NewInvalid(res.GroupVersionKind().GroupKind(), name, problems)
}

// validate returns an error for a custom object that its schema does not allow. before is the state that it replaces,
// or nil.
func (r *resource) validate(before, obj Object) error {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || r.schema == nil {
		return nil
	}
	var old map[string]any
	if was, ok := before.(*unstructured.Unstructured); ok && was != nil {
		old = was.Object
	}
	if mistakes := r.schema.Validate(u.Object, old); len(mistakes) > 0 {
		return invalid(r, obj.GetName(), mistakes...)
	}
	return nil
}

// unknownError is the answer of a server to an error for which it has no reason.
func unknownError(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message}}
}
