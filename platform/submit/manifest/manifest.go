package manifest

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MaxObject is the maximum size of an object as JSON, in bytes: the limit of a request to
// etcd.
const MaxObject = 3 << 19

// Manifest is an object and the places of its fields. It belongs to one goroutine.
type Manifest struct {
	// Source is the name of the file, or of the template.
	Source string
	// Object is the object for the server. The caller may change it. Added fields have the
	// places of their nearest parents.
	Object *unstructured.Unstructured

	root *Place
}

// New returns a manifest of an object with known places; root may be nil.
//
// Errors: the object has no apiVersion or no kind; it has more than [MaxObject] bytes.
func New(source string, object map[string]any, root *Place) (*Manifest, error) {
	m := &Manifest{Source: source, Object: &unstructured.Unstructured{Object: object}, root: root}
	if field, err := check(object); err != nil {
		line, _ := m.Line(field)
		return nil, fmt.Errorf("%s: %w", at(source, line), err)
	}
	return m, nil
}

// check returns the problem of an object, and its field.
func check(object map[string]any) (field string, err error) {
	for _, field := range []string{"apiVersion", "kind"} {
		if text, ok := object[field].(string); !ok || text == "" {
			return field, fmt.Errorf("the object has no %s", field)
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	if len(text) > MaxObject {
		return "", fmt.Errorf("the object has %d bytes; the API server stores at most %d. Put large data into a volume, an image or a ConfigMap", len(text), MaxObject)
	}
	return "", nil
}

// Line returns the line of a field, in the notation of API servers:
// spec.template.spec.containers[0].image, metadata.labels[a/b]. If the field has no line,
// Line returns that of its nearest parent. ok is false if no line is known.
func (m *Manifest) Line(field string) (line int, ok bool) {
	line, _ = m.root.find(field)
	return line, line > 0
}

// Origin returns the name of the template parameter that the value of a field came from.
func (m *Manifest) Origin(field string) (parameter string, ok bool) {
	_, parameter = m.root.find(field)
	return parameter, parameter != ""
}

// at returns a source, with a line if it is known.
func at(source string, line int) string {
	if line == 0 {
		return source
	}
	return fmt.Sprintf("%s:%d", source, line)
}
