package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
)

// scaleKind is the kind of the scale subresource.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// workload is the part of a scalable object that its scale contains.
type workload struct {
	wanted   *int32 // pointer into the object
	has      int32
	selector string
}

// workloadOf returns the workload of an object, and sets its replicas to the default if they are nil.
func workloadOf(obj Object) (workload, error) {
	of := func(wanted **int32, has int32, selector *metav1.LabelSelector) (workload, error) {
		if *wanted == nil {
			*wanted = ptr.To(int32(1)) // as servers do by default
		}
		return workload{*wanted, has, metav1.FormatLabelSelector(selector)}, nil
	}
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return of(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.ReplicaSet:
		return of(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.StatefulSet:
		return of(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *corev1.ReplicationController:
		w, err := of(&o.Spec.Replicas, o.Status.Replicas, nil)
		w.selector = labels.FormatLabels(o.Spec.Selector)
		return w, err
	}
	return workload{}, fmt.Errorf("%w: %T has no scale", ErrUnknownType, obj)
}

// scaleOf returns the scale of an object.
func scaleOf(obj Object) (*autoscalingv1.Scale, error) {
	w, err := workloadOf(obj)
	if err != nil {
		return nil, err
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: obj.GetName(), Namespace: obj.GetNamespace(), UID: obj.GetUID(),
			ResourceVersion: obj.GetResourceVersion(), CreationTimestamp: obj.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: *w.wanted},
		Status: autoscalingv1.ScaleStatus{Replicas: w.has, Selector: w.selector},
	}, nil
}

// serveScale reads or writes a scale. A scale is not available as metadata only.
func (s *Server) serveScale(w http.ResponseWriter, c *call) {
	rev, err := s.scaled(c)
	if err == nil && c.enc.part == metadataOnly {
		err = notAcceptable()
	}
	if err != nil {
		s.fail(w, c, err)
		return
	}
	obj, err := rev.object()
	if err != nil {
		s.fail(w, c, err)
		return
	}
	scale, err := scaleOf(obj)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	apiVersion, kind := scaleKind.ToAPIVersionAndKind()
	p := payload{kind: typeMeta{apiVersion, kind}}
	if c.enc.format == formatProtobuf {
		p.data, err = scale.Marshal()
	} else {
		p.data, err = json.Marshal(scale)
	}
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendPayload(w, http.StatusOK, c.enc, p)
}

// scaled executes a request for a scale, and returns the object whose scale is the response.
func (s *Server) scaled(c *call) (*revision, error) {
	key := keyOf(c.Namespace, c.Name)
	if c.Verb == VerbGet {
		return s.find(c.table, key)
	}
	data, media, err := readBody(c.handler)
	if err != nil {
		return nil, err
	}
	if err := c.checkOptions(types.PatchType(media)); err != nil {
		return nil, err
	}
	w := c.writing(c.handler.URL.Query()["dryRun"])
	p := patch{kind: types.PatchType(media), data: data}
	if c.Verb == VerbPatch {
		if err := p.check(c.table.res); err != nil {
			return nil, err
		}
	}
	return s.change(c.table, key, w, func(present Object) (Object, error) {
		next := data
		if c.Verb == VerbPatch {
			var err error
			if next, err = p.applyToScale(c.table.res, present); err != nil {
				return nil, err
			}
		}
		return rescale(c.table.res, present, next)
	})
}

// applyToScale returns the patched scale of an object.
func (p patch) applyToScale(res *resource, present Object) ([]byte, error) {
	scale, err := scaleOf(present)
	if err != nil {
		return nil, err
	}
	scale.SetGroupVersionKind(scaleKind)
	doc, err := json.Marshal(scale)
	if err != nil {
		return nil, err
	}
	return p.applyTo(res, doc, &autoscalingv1.Scale{})
}

// rescale sets the replicas of an object from a scale. It changes present.
func rescale(res *resource, present Object, data []byte) (Object, error) {
	obj, got, err := scheme.Codecs.UniversalDeserializer().Decode(data, &scaleKind, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	scale, ok := obj.(*autoscalingv1.Scale)
	if !ok || *got != scaleKind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in the body does not match the expected %s", got, scaleKind))
	}
	if scale.Spec.Replicas < 0 {
		return nil, invalid(res, scale.Name, field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must be greater than or equal to 0"))
	}
	next, err := res.toStored(present)
	if err != nil {
		return nil, err
	}
	w, err := workloadOf(next)
	if err != nil {
		return nil, err
	}
	*w.wanted = scale.Spec.Replicas
	next.SetName(scale.Name)
	next.SetUID(scale.UID)
	next.SetResourceVersion(scale.ResourceVersion)
	if scale.Namespace != "" {
		next.SetNamespace(scale.Namespace)
	}
	return res.merge(present, next, mainResource)
}
