package observe

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/jsontext"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Projection selects the stored part of the objects of one type: the body without the
// removed fields, and the state that the rest shows. Removed fields reach no column,
// because the state and the labels come from the projected body.
type Projection struct {
	stateOf  func(map[string]any) job.Status
	prefix   []byte // the beginning of every body: its apiVersion and kind
	removed  []FieldPath
	cut      *jsontext.Mask // removes the fields in removed
	reduce   *jsontext.Mask // removes the fields that stateOf ignores; nil: stateOf may read every field
	isPod    bool           // the objects are pods
	isJob    bool           // the objects are of a type of jobs
	Redacted bool           // removed contains redacted fields
}

// versionFields are the fields that change with every revision.
var versionFields = []FieldPath{{"metadata", "resourceVersion"}, {"metadata", "managedFields"}}

// podFields are the fields of pods that job.ReadStatus ignores. It reads the names and restart
// policies of containers.
var podFields = fieldsWithin("spec", []string{
	"affinity", "dnsConfig", "ephemeralContainers", "hostAliases", "imagePullSecrets", "nodeSelector", "overhead", "readinessGates", "resourceClaims",
	"resources", "schedulingGates", "securityContext", "tolerations", "topologySpreadConstraints", "volumes",
	"containers.*", "containers.image", "containers.imagePullPolicy", "containers.terminationMessagePath", "containers.terminationMessagePolicy",
	"initContainers.*", "initContainers.image", "initContainers.imagePullPolicy", "initContainers.terminationMessagePath", "initContainers.terminationMessagePolicy",
})

// fieldsWithin returns the paths of fields within a field.
func fieldsWithin(field string, names []string) (paths [][]string) {
	for _, name := range names {
		paths = append(paths, append([]string{field}, strings.Split(name, ".")...))
	}
	return paths
}

// secretFields are the fields with the data of Secrets. They are never stored.
var secretFields = []FieldPath{{"data"}, {"stringData"}, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}}

// typeFields name the type. The projection writes them itself, because the items of some
// lists lack them.
var typeFields = []FieldPath{{"apiVersion"}, {"kind"}}

// NewProjection returns the projection of a type. A nil stateOf means job.ReadStatus.
func NewProjection(r kube.Resource, stateOf func(map[string]any) job.Status, redact []FieldPath) *Projection {
	p := &Projection{
		stateOf: stateOf, prefix: fmt.Appendf(nil, "{\"apiVersion\":%q,\"kind\":%q", r.APIVersion(), r.Kind),
		removed: slices.Concat(versionFields, typeFields, redact), isPod: r.Group == "" && r.Name == "pods", isJob: job.KindOf(r.APIVersion(), r.Kind).IsJob(), Redacted: len(redact) > 0,
	}
	if stateOf == nil {
		p.stateOf = func(object map[string]any) job.Status { return job.ReadStatus(object) }
		if !p.isJob { // the facts of a job are in its spec
			p.reduce = reductionOf(r)
		}
	}
	if r.Group == "" && r.Name == "secrets" {
		p.removed, p.Redacted = append(p.removed, secretFields...), true
	}
	paths := make([][]string, len(p.removed))
	for i, field := range p.removed {
		paths[i] = field
	}
	p.cut = jsontext.NewMask(paths...)
	return p
}

// reductionOf returns the mask of the fields of a type that job.ReadStatus ignores. For types
// other than pods it removes the members of spec that are objects or arrays.
func reductionOf(r kube.Resource) *jsontext.Mask {
	if r.Group == "" && r.Name == "pods" {
		return jsontext.NewMask(podFields...)
	}
	return jsontext.NewMask([]string{"spec", "*"})
}

// body returns the stored form of an object: its type, and the text from the server without
// the removed fields. The same content yields the same bytes, from a list or from a watch.
func (p *Projection) body(rec *wire.Record) ([]byte, error) {
	return p.appendBody(make([]byte, 0, len(p.prefix)+len(rec.Body)), rec)
}

// appendBody is body in the memory of dst, which is empty.
func (p *Projection) appendBody(dst []byte, rec *wire.Record) ([]byte, error) {
	body, err := p.cut.Append(append(dst, p.prefix...), rec.Body)
	if err != nil {
		return p.bodyByDecoding(rec)
	}
	if rest := body[len(p.prefix):]; len(rest) > len("{}") {
		rest[0] = ','
		return body, nil
	}
	return append(body[:len(p.prefix)], '}'), nil
}

// WithBody calls f with the stored form of an object, which is valid during the call.
//
// Errors: the redacted fields could not be removed from the body.
func (p *Projection) WithBody(rec *wire.Record, f func(body []byte)) error {
	buf, _ := reduced.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer reduced.Put(buf)
	body, err := p.appendBody((*buf)[:0], rec)
	if err != nil {
		return err
	}
	*buf = body
	f(body)
	return nil
}

// bodyByDecoding is like body, for objects that are too deeply nested for a Mask.
func (p *Projection) bodyByDecoding(rec *wire.Record) ([]byte, error) {
	obj, err := wire.Codec[unstructured.Unstructured]{}.Decode(*rec)
	if err != nil {
		return nil, err
	}
	for _, field := range p.removed {
		field.remove(obj.Object)
	}
	text, err := json.Marshal(obj.Object)
	if err != nil || len(text) == len("{}") {
		return append(slices.Clip(p.prefix), '}'), err
	}
	text[0] = ','
	return append(slices.Clip(p.prefix), text...), nil
}

// reduced holds buffers for bodies reduced to the fields that the state needs.
var reduced sync.Pool

// decode decodes the fields of a body that status and the columns need.
func (p *Projection) decode(rec *wire.Record, body []byte) (*unstructured.Unstructured, error) {
	r := wire.Record{Key: rec.Key, Version: rec.Version, Encoding: wire.JSON, Body: body}
	if p.reduce != nil {
		buf, _ := reduced.Get().(*[]byte)
		if buf == nil {
			buf = new([]byte)
		}
		defer reduced.Put(buf)
		if text, err := p.reduce.Append((*buf)[:0], body); err == nil {
			*buf, r.Body = text, text
		}
	}
	return wire.Codec[unstructured.Unstructured]{}.Decode(r)
}

// decide returns the status of a decoded object and the spec of a job, or nil.
//
// Errors: the state function panicked.
func (p *Projection) decide(object map[string]any) (s job.Status, spec *job.Spec, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the state function panicked: %v\n%s", v, debug.Stack())
		}
	}()
	s = p.stateOf(object)
	if p.isJob {
		of := job.ReadSpec(object)
		spec = &of
	}
	return s, spec, nil
}
