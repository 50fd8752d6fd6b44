package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// fieldManager returns the name under which a request owns fields: a parameter, or the program in the user agent.
func fieldManager(r *http.Request) string {
	if name := r.URL.Query().Get("fieldManager"); name != "" {
		return name
	}
	name, _, _ := strings.Cut(r.UserAgent(), "/")
	if name == "" {
		return "unknown"
	}
	return name
}

// builtinConverter converts built-in objects for structured merges. Reading its schemas takes a second.
var builtinConverter = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
})

// owners returns the field manager of the type. Lists of objects without a schema, such as custom ones, are atomic. It
// ignores no fields, because the type of such a set belongs to another module in each version of apimachinery: own and
// application.to leave out what a subresource does not own.
func (r *resource) owners(sub string) (*managedfields.FieldManager, error) {
	gvk, one := r.GroupVersionKind(), oneVersion{r}
	if r.builtin() && strings.HasPrefix(r.goType.PkgPath(), "k8s.io/api/") { // a program may add other types to the scheme
		return managedfields.NewDefaultFieldManager(builtinConverter(), one, one, one, gvk, gvk.GroupVersion(), sub, nil)
	}
	return managedfields.NewDefaultCRDFieldManager(managedfields.NewDeducedTypeConverter(), one, one, one, gvk, gvk.GroupVersion(), sub, nil)
}

// owned returns a copy of an object, as a map, without the fields that a write of a subresource does not change.
func (r *resource) owned(obj runtime.Object, sub string) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	if sub != statusSubresource {
		delete(fields, "status")
		return &unstructured.Unstructured{Object: fields}, nil
	}
	delete(fields, "spec")
	meta, _ := fields["metadata"].(map[string]any)
	for name := range meta {
		switch name {
		case "name", "namespace", "uid", "resourceVersion", "managedFields": // which find the object
		case "labels":
			if !r.builtin() || r.Kind == "Deployment" {
				delete(meta, name)
			}
		default:
			if !r.builtin() {
				delete(meta, name)
			}
		}
	}
	return &unstructured.Unstructured{Object: fields}, nil
}

// oneVersion is the conversion of a type that has one version, and no defaults.
type oneVersion struct{ res *resource }

func (oneVersion) ConvertToVersion(obj runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return obj, nil
}

func (oneVersion) Convert(_, _, _ any) error {
	return errors.New("apitest: a type has one version")
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (oneVersion) Default(runtime.Object) {}

func (o oneVersion) New(schema.GroupVersionKind) (runtime.Object, error) { return o.res.newNamed() }

// newNamed returns an empty object with its kind.
func (r *resource) newNamed() (Object, error) {
	obj, err := r.newObject()
	if err == nil {
		obj.GetObjectKind().SetGroupVersionKind(r.GroupVersionKind())
	}
	return obj, err
}

// named returns a copy of a stored object, with its kind.
func (r *resource) named(obj Object) (Object, error) {
	out, ok := obj.DeepCopyObject().(Object)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, obj)
	}
	out.GetObjectKind().SetGroupVersionKind(r.GroupVersionKind())
	return out, nil
}

// unnamed returns an object of a structured merge, which may have become a map, in the stored form.
func (r *resource) unnamed(obj runtime.Object) (Object, error) {
	out, ok := obj.(Object)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, obj)
	}
	if _, isMap := obj.(*unstructured.Unstructured); isMap && r.builtin() {
		return r.toStored(out)
	}
	if r.builtin() {
		out.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return out, nil
}

// tracks reports whether the owners of an object's fields are tracked. present is nil for a new object.
func (o Ownership) tracks(present Object) bool {
	return o == OwnershipAlways || present != nil && slices.ContainsFunc(present.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Operation == metav1.ManagedFieldsOperationApply
	})
}

// own records that a client, by another operation than apply, owns the fields in which next differs from before. before
// is nil for a new object.
func (c *call) own(before, next Object) (Object, error) {
	res := c.table.res
	m, err := res.owners(c.Subresource)
	if err != nil {
		return nil, err
	}
	if before == nil {
		before, err = res.newObject()
		if err != nil {
			return nil, err
		}
		if res.Status {
			res.moveStatus(next, before)
		}
	}
	if before, err = res.named(before); err != nil {
		return nil, err
	}
	if next, err = res.named(next); err != nil {
		return nil, err
	}
	return res.unnamed(m.UpdateNoErrors(before, next, fieldManager(c.handler)))
}

// serveApply is server-side apply: it creates the object of a request body, or merges the body into the object. created
// reports which of the two it did.
func (s *Server) serveApply(c *call, data []byte, w writing) (rev *revision, created bool, err error) {
	body, err := c.applied(data)
	if err != nil {
		return nil, false, err
	}
	query := c.handler.URL.Query()
	manager, force := query.Get("fieldManager"), false
	if text := query.Get("force"); text != "" {
		if force, err = strconv.ParseBool(text); err != nil {
			return nil, false, apierrors.NewBadRequest(fmt.Sprintf("force %q: %v", text, err))
		}
	}
	if manager == "" {
		return nil, false, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "",
			field.ErrorList{field.Required(field.NewPath("fieldManager"), "is required for apply patch")})
	}
	owners, err := c.table.res.owners(c.Subresource)
	if err != nil {
		return nil, false, err
	}
	a := application{res: c.table.res, owners: owners, body: body, sub: c.Subresource, manager: manager, force: force}
	for range maxAttempts {
		rev, err = s.applyOnce(c, a, w)
		if !apierrors.IsNotFound(err) || c.Subresource != "" {
			return rev, false, err
		}
		rev, err = s.createApplied(c, a, w)
		if !apierrors.IsAlreadyExists(err) {
			return rev, true, err
		}
	}
	return nil, false, apierrors.NewConflict(c.table.res.groupResource(), c.Name, errConflict)
}

// applied reads the body of an apply request.
func (c *call) applied(data []byte) (*unstructured.Unstructured, error) {
	res := c.table.res
	body := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &body.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if body.Object == nil {
		return nil, apierrors.NewBadRequest("the body of the request is empty")
	}
	if got := body.GroupVersionKind(); got != res.GroupVersionKind() {
		return nil, wrongKind(res, got)
	}
	if _, err := partialOf(body); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if body.GetName() == "" {
		body.SetName(c.Name)
	}
	if body.GetName() != c.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", body.GetName(), c.Name))
	}
	return body, place(c, body)
}

// application is one server-side apply.
type application struct {
	res     *resource
	owners  *managedfields.FieldManager
	body    *unstructured.Unstructured
	sub     string
	manager string
	force   bool
}

// to returns an object with the body applied.
func (a application) to(present Object) (Object, error) {
	live, body, err := a.inputs(present)
	if err != nil {
		return nil, err
	}
	next, err := a.owners.Apply(live, body, a.manager, a.force)
	var carrier apierrors.APIStatus
	if err != nil && !errors.As(err, &carrier) { // as on a real server, a body that does not fit the schema is an unknown error
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}}
	}
	if err != nil {
		return nil, err
	}
	out, err := a.res.unnamed(next)
	if u, isMap := out.(*unstructured.Unstructured); isMap {
		shape(a.res.schema, u.Object)
	}
	return out, err
}

// inputs returns copies of the object and of the body.
func (a application) inputs(present Object) (live, body runtime.Object, err error) {
	live, err = a.res.named(present)
	if err != nil || !a.res.Status {
		return live, a.body.DeepCopy(), err
	}
	live, err = a.res.owned(live, a.sub)
	if err != nil {
		return nil, nil, err
	}
	body, err = a.res.owned(a.body, a.sub)
	return live, body, err
}

// applyOnce applies to an object that exists.
func (s *Server) applyOnce(c *call, a application, w writing) (*revision, error) {
	return s.change(c.table, keyOf(c.Namespace, c.Name), w, func(present Object) (Object, error) {
		next, err := a.to(present)
		if err != nil {
			return nil, err
		}
		owners := next.GetManagedFields()
		return merged(c.table.res, present, next, targetOf(c.Subresource), func(_, next Object) (Object, error) {
			next.SetManagedFields(owners) // the status alone was merged
			return next, c.admit(next)
		})
	})
}

// createApplied creates the object of the body.
func (s *Server) createApplied(c *call, a application, w writing) (*revision, error) {
	if err := s.checkNamespace(c); err != nil {
		return nil, err
	}
	empty, err := c.table.res.newObject()
	if err != nil {
		return nil, err
	}
	obj, err := a.to(empty)
	if err != nil {
		return nil, err
	}
	if uid := a.body.GetUID(); uid != "" {
		return nil, apierrors.NewConflict(a.res.groupResource(), c.Name, fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	if err := c.admit(obj); err != nil {
		return nil, err
	}
	obj.SetResourceVersion("") // of no object
	return s.create(c.table, obj, fromClient, w)
}

// finish returns the finisher of a request: admission, and then the owners of fields.
func (s *Server) finish(c *call) finisher {
	return func(before, next Object) (Object, error) {
		if err := c.admit(next); err != nil || !s.cfg.Ownership.tracks(before) {
			return next, err
		}
		return c.own(before, next)
	}
}
