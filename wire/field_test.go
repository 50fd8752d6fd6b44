package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/vedette-io/vedette/internal/testinput"
)

type marshaler interface{ Marshal() ([]byte, error) }

// TestFieldsAgree reads every scalar of a type in every encoding, and compares the values
// with those of the Go object, or of the decoded JSON if the type is unknown.
func TestFieldsAgree(t *testing.T) {
	t.Run("Pod", fieldsAgree[corev1.Pod])
	t.Run("Job", fieldsAgree[batchv1.Job])
	t.Run("Node", fieldsAgree[corev1.Node])
	t.Run("Service", fieldsAgree[corev1.Service])                                             // IntOrString
	t.Run("Lease", fieldsAgree[coordinationv1.Lease])                                         // MicroTime
	t.Run("PersistentVolume", fieldsAgree[corev1.PersistentVolume])                           // an embedded struct without a name
	t.Run("CertificateSigningRequest", fieldsAgree[certificatesv1.CertificateSigningRequest]) // lists in separate messages
	t.Run("TokenReview", fieldsAgree[authenticationv1.TokenReview])
	t.Run("Metadata", fieldsAgree[metav1.PartialObjectMetadata])
}

func fieldsAgree[T any](t *testing.T) {
	t.Parallel()
	fields := boundFields[T](t)
	loose := looseFields(t, fields)
	r := testinput.Rand(t)
	part := 1 + len(fields)/40
	for n := range testinput.Cases(t, testinput.Size(t, 50, 100)) {
		obj := new(T)
		fill(r, reflect.ValueOf(obj).Elem())
		records := everyEncoding(t, obj)
		var decoded any
		d := json.NewDecoder(bytes.NewReader(records[0].Body))
		d.UseNumber()
		if err := d.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		// All paths of a large type would take too long: each object is for a part of them.
		for i := n % part; i < len(fields); i += part {
			f := fields[i]
			want, sent := valuesOf(reflect.ValueOf(obj), f.path.steps), lookUp(decoded, f.path.steps)
			for _, rec := range records {
				if got := f.Append(nil, rec); !sameValues(got, want, rec.Encoding) {
					t.Fatalf("%s in %v: got %q, want %q\n%.300s", f.Path(), rec.Encoding, got, want, records[0].Body)
				}
				if got := loose[i].Append(nil, rec); rec.Encoding != Protobuf && !sameValues(got, sent, rec.Encoding) {
					t.Fatalf("%s in %v as Unstructured: got %q, want %q", f.Path(), rec.Encoding, got, sent)
				}
			}
		}
	}
}

// sameValues compares values. The order of maps is different in CBOR.
func sameValues(a, b []string, enc Encoding) bool {
	if enc == CBOR {
		a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	}
	return slices.Equal(a, b)
}

// boundFields returns a field for every scalar of T.
func boundFields[T any](t *testing.T) (fields []*Field) {
	for _, path := range leafPaths(reflect.TypeFor[T](), "") {
		f, err := FieldOf[T](path)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	return fields
}

func looseFields(t *testing.T, fields []*Field) (loose []*Field) {
	for _, f := range fields {
		l, err := FieldOf[unstructured.Unstructured](f.Path().String())
		if err != nil {
			t.Fatal(err)
		}
		loose = append(loose, l)
	}
	return loose
}

// everyEncoding returns records of an object. The first is JSON.
func everyEncoding(t testing.TB, obj any) []Record {
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	message, err := obj.(marshaler).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	item, err := direct.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return []Record{{Encoding: JSON, Body: text}, {Encoding: Protobuf, Body: message}, {Encoding: CBOR, Body: item}}
}

// valuesOf returns the values of a path in a Go object, as a Field does.
func valuesOf(v reflect.Value, steps []step) (values []string) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if len(steps) == 0 {
		text, err := json.Marshal(v.Interface())
		if err != nil || string(text) == "null" {
			return nil
		}
		var s string
		if json.Unmarshal(text, &s) != nil {
			s = string(text)
		}
		return []string{s}
	}
	s := steps[0]
	switch v.Kind() {
	case reflect.Struct:
		f, _, _ := structField(v.Type(), s.name)
		return valuesOf(v.FieldByName(f.Name), steps[1:])
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if s.kind == stepEvery || k.String() == s.name {
				values = append(values, valuesOf(v.MapIndex(k), steps[1:])...)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if s.kind == stepWhere && valuesOf(v.Index(i), []step{{name: s.name}})[0] != s.text {
				continue
			}
			values = append(values, valuesOf(v.Index(i), steps[1:])...)
		}
	}
	return values
}

// lookUp returns the values of a path in decoded JSON, as a Field does.
func lookUp(v any, steps []step) (values []string) {
	if len(steps) == 0 {
		switch v.(type) {
		case map[string]any, []any, nil:
			return nil
		}
		return []string{fmt.Sprint(v)}
	}
	s := steps[0]
	switch v := v.(type) {
	case map[string]any:
		if s.kind == stepMember {
			return lookUp(v[s.name], steps[1:])
		}
		if s.kind == stepEvery {
			for _, k := range slices.Sorted(maps.Keys(v)) {
				values = append(values, lookUp(v[k], steps[1:])...)
			}
		}
	case []any:
		for _, e := range v {
			m, _ := e.(map[string]any)
			if s.kind == stepEvery || s.kind == stepWhere && m[s.name] == s.text {
				values = append(values, lookUp(e, steps[1:])...)
			}
		}
	}
	return values
}

// TestFieldsOfJSON checks values at many positions and in many forms.
func TestFieldsOfJSON(t *testing.T) {
	const body = ` { "metadata" : { "name" : "x", "labels":{"a.b/c":"1","\u0061":"escaped","none":""},
		"ownerReferences":[{"uid":"u1"},{},7,{"uid":null},{"uid":"u\u00322"}]}, "spec":{"n":0,"f":-1.50e3,"t":true,"f2":false,"deep":[[{"x":1},{"x":"y"}],{"x":2}],
		"empty":{},"none":[],"pair":"\ud83E\uDD16\ud83e","dup":1,"dup":2},
		"status":{"conditions":[{"status":"True","type":"Ready","n":1},{"type":"Other","status":"False"},{"type":7},{"status":"no type"},{"type":"Re\u0061dy","status":"again"},"Ready"]}} `
	rec := Record{Encoding: JSON, Body: []byte(body)}
	for path, want := range map[string]string{
		"metadata.name": "x", "metadata.none": "", "metadata": "", "metadata.name.x": "", "name": "",
		"metadata.labels['a.b/c']": "1", "metadata.labels.a": "escaped", "metadata.labels.none": "", "metadata.labels[*]": "1 escaped ",
		"metadata.ownerReferences[*].uid": "u1 u22", "metadata.ownerReferences[*]": "7", "metadata.ownerReferences.uid": "",
		"spec.n": "0", "spec.f": "-1.50e3", "spec.t": "true", "spec.f2": "false", "spec[*]": "0 -1.50e3 true false 🤖\ufffd 1 2",
		"spec.deep[*][*].x": "1 y", "spec.deep[*].x": "2", "spec.empty[*]": "", "spec.none[*]": "", "spec.pair": "🤖\ufffd", "spec.dup": "1",
		`status.conditions[?(@.type=="Ready")].status`: "True again",
		`status.conditions[?(@.type=="Ready")].n`:      "1",
		`status.conditions[?(@.type=="Other")].status`: "False",
		`status.conditions[?(@.status=="True")].type`:  "Ready",
		`status.conditions[?(@.type=="7")].type`:       "",
		`metadata[?(@.name=="x")].name`:                "",
		`status.conditions[?(@.type=="Ready")][*]`:     "True Ready 1 Ready again",
	} {
		f, err := FieldOf[unstructured.Unstructured](path)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Append(nil, rec), " "); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestEmptyKey checks that a path names the key "" of a map, in every encoding.
func TestEmptyKey(t *testing.T) {
	f, err := FieldOf[corev1.ConfigMap]("data['']")
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []map[string]string{{"": "x", "a": "y"}, {"": "x"}, {"a": "y"}, {"": ""}, nil} {
		want := []string(nil)
		if v, ok := data[""]; ok {
			want = []string{v}
		}
		for _, rec := range everyEncoding(t, &corev1.ConfigMap{Data: data}) {
			if got := f.Append(nil, rec); !slices.Equal(got, want) {
				t.Errorf("%v in %v: got %q, want %q", data, rec.Encoding, got, want)
			}
		}
	}
}

// TestZeroes checks that a field of a Go struct that is not a pointer has a value,
// whether an encoding writes zeroes or omits them. A nil pointer, an absent key and a
// zero time have no value.
func TestZeroes(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Spec.ActiveDeadlineSeconds = new(int64)
	pod.Spec.EnableServiceLinks = new(bool)
	pod.Spec.Containers = []corev1.Container{{Ports: []corev1.ContainerPort{{}}}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{}}
	pod.Labels = map[string]string{"app": ""}
	explicit := `{"metadata":{"generation":0,"name":"","labels":{"app":""}},"spec":{"hostNetwork":false,"nodeName":null,"activeDeadlineSeconds":0,"enableServiceLinks":false,
		"containers":[{"ports":[{"hostPort":0,"containerPort":0}]}]},"status":{"containerStatuses":[{"ready":false,"restartCount":0}]}}`
	records := []Record{
		{Encoding: JSON, Body: encode(t, JSON, typed(*pod))},
		{Encoding: JSON, Body: []byte(explicit)},
		{Encoding: Protobuf, Body: mustMarshal(t, pod)},
		{Encoding: CBOR, Body: mustCBOR(t, pod)},
		{Encoding: CBOR, Body: mustCBOR(t, fromJSON(t, explicit))},
	}
	for path, want := range map[string][]string{
		"metadata.generation": {"0"}, "metadata.name": {""}, "metadata.creationTimestamp": nil, "spec.hostNetwork": {"false"},
		"spec.nodeName": {""}, "status.phase": {""}, "metadata.labels.app": {""}, "metadata.labels[*]": {""}, "metadata.labels.none": nil,
		"spec.containers[*].ports[*].hostPort": {"0"}, "spec.containers[*].ports[*].containerPort": {"0"}, "spec.containers[*].name": {""},
		"spec.activeDeadlineSeconds": {"0"}, "spec.enableServiceLinks": {"false"}, "spec.priority": nil, "spec.securityContext.fsGroupChangePolicy": nil,
		"status.containerStatuses[*].ready": {"false"}, "status.containerStatuses[*].restartCount": {"0"},
		"status.containerStatuses[*].state.running.startedAt": nil, "status.containerStatuses[*].state.waiting.reason": nil, "spec.volumes[*].name": nil,
	} {
		f, err := FieldOf[corev1.Pod](path)
		if err != nil {
			t.Fatal(err)
		}
		for i, rec := range records {
			if got := f.Append(nil, rec); !slices.Equal(got, want) {
				t.Errorf("%s in record %d: got %q, want %q", path, i, got, want)
			}
		}
	}
}

// queued is the Go struct of a custom resource.
type queued struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Queue string  `json:"queue,omitempty"`
		Limit *string `json:"limit,omitempty"`
		Share struct {
			Of string `json:"of"`
		} `json:"share"`
	} `json:"spec"`
}

// TestAbsentFieldsOfCustomResources checks that absent fields of a Go struct have zero
// values, and that Unstructured, which has no fixed fields, returns only what the server
// sent.
func TestAbsentFieldsOfCustomResources(t *testing.T) {
	for body, want := range map[string]map[string][]string{
		`{"spec":{"share":null,"limit":null}}`: {"spec.queue": {""}, "spec.limit": nil, "spec.share.of": {""}, "spec.other": nil, "metadata.name": {""}, "metadata.uid": {""}},
		`{"spec":{"queue":"","limit":""}}`:     {"spec.queue": {""}, "spec.limit": {""}, "spec.share.of": {""}},
		`{"spec":{"queue":"a","other":7}}`:     {"spec.queue": {"a"}, "spec.other": {"7"}},
		`{}`:                                   {"spec.queue": {""}, "spec.limit": nil, "spec.share.of": {""}},
		`{"spec":{"queue":"a"`:                 {"spec.queue": {"a"}, "spec.limit": nil, "spec.share.of": nil},
	} {
		rec := Record{Encoding: JSON, Body: []byte(body)}
		for path, want := range want {
			f, err := FieldOf[queued](path)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Append(nil, rec); !slices.Equal(got, want) {
				t.Errorf("%s of %s: got %q, want %q", path, body, got, want)
			}
		}
	}
	f, err := FieldOf[unstructured.Unstructured]("spec.queue")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string][]string{`{"spec":{}}`: nil, `{"spec":{"queue":null}}`: nil, `{"spec":{"queue":""}}`: {""}} {
		if got := f.Append(nil, Record{Encoding: JSON, Body: []byte(body)}); !slices.Equal(got, want) {
			t.Errorf("Unstructured %s: got %q, want %q", body, got, want)
		}
	}
}

func mustMarshal(t testing.TB, m marshaler) []byte {
	t.Helper()
	b, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFieldsEndEarly checks that yield is not called again after it returned false.
func TestFieldsEndEarly(t *testing.T) {
	pod := testPod(1)
	pod.Finalizers = []string{"a", "b", "c"}
	f, err := FieldOf[corev1.Pod]("metadata.finalizers[*]")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := FieldOf[corev1.Pod]("metadata.labels[*]")
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range []Record{{Encoding: JSON, Body: encode(t, JSON, typed(pod))}, {Encoding: Protobuf, Body: mustMarshal(t, &pod)}, {Encoding: CBOR, Body: mustCBOR(t, &pod)}} {
		var got []string
		for v := range f.Values(rec) {
			if got = append(got, v); len(got) == 2 {
				break
			}
		}
		if !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%v: got %q", rec.Encoding, got)
		}
		for v := range labels.Values(rec) {
			if v != pod.Labels["app"] {
				t.Errorf("%v: got %q", rec.Encoding, v)
			}
			break
		}
		// A nested read of the same field, with values already in dst.
		f.Each(rec, func(v []byte) bool {
			if all := f.Append([]string{"z"}, rec); !slices.Equal(all, []string{"z", "a", "b", "c"}) {
				t.Errorf("%v within %s: got %q", rec.Encoding, v, all)
			}
			return true
		})
	}
	if got := f.Append(nil, Record{Body: []byte("{}")}); got != nil {
		t.Errorf("got %q for a record without encoding", got)
	}
	loose, _ := FieldOf[unstructured.Unstructured]("metadata.name")
	if got := loose.Append(nil, Record{Encoding: Protobuf, Body: mustMarshal(t, &pod)}); got != nil {
		t.Errorf("got %q for protobuf without a type", got)
	}
}

// TestPackedNumbers checks lists of numbers in one field.
func TestPackedNumbers(t *testing.T) {
	f, err := FieldOf[corev1.Pod]("spec.securityContext.supplementalGroups[*]")
	if err != nil {
		t.Fatal(err)
	}
	for groups, want := range map[string][]string{
		"\x20\x05\x22\x03\x07\xac\x02":         {"5", "7", "300"},
		"\x22\x04\x07\xac\x02\x80\x20\x05":     {"7", "300"}, // the last packed number is truncated
		"\x22\x00\x20\x05":                     {"5"},
		"\x22\x02\x05\xac":                     {"5"},
		"\x21\x05\x05\x05\x05\x05\x05\x05\x05": nil,
	} {
		for _, num := range []byte{14, 2} { // securityContext, spec
			groups = string([]byte{num<<3 | protoBytes, byte(len(groups))}) + groups
		}
		if got := f.Append(nil, Record{Encoding: Protobuf, Body: []byte(groups)}); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", groups, got, want)
		}
	}
	if f, err = FieldOf[corev1.Pod]("spec.activeDeadlineSeconds"); err != nil {
		t.Fatal(err)
	}
	if got := f.Append(nil, Record{Encoding: Protobuf, Body: []byte("\x12\x04\x2a\x02\x07\x08")}); got != nil {
		t.Errorf("a packed single number: got %q", got)
	}
}

// TestFieldsOfManyGoroutines is for the race detector.
func TestFieldsOfManyGoroutines(t *testing.T) {
	f, err := FieldOf[corev1.Pod]("metadata.labels[*]")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		pod := testPod(i)
		rec := Record{Encoding: allEncodings[i%2], Body: mustMarshal(t, &pod)}
		if rec.Encoding == JSON {
			rec.Body = encode(t, JSON, typed(pod))
		}
		all.Go(func() {
			for range 200 {
				if got := f.Append(nil, rec); len(got) != 2 || got[0] != pod.Labels["app"] || got[1] != pod.Labels["weird/“\\\"\n"] {
					t.Errorf("%d: got %q", i, got)
					return
				}
			}
		})
	}
	all.Wait()
}

// marked has tags that do not occur, or do not occur together, in API types.
type marked struct {
	metav1.ListMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Zero            int64            `json:"zero,omitzero" protobuf:"varint,2,opt,name=zero"`
	Hidden          int64            `json:"-" protobuf:"varint,3,opt,name=hidden"`
	Counts          map[int32]string `json:"counts" protobuf:"bytes,4,rep,name=counts"`
	Parts           []part           `json:"parts" protobuf:"bytes,5,rep,name=parts"`
}

type part struct {
	Name string `json:"name"`
	Kind string `json:"kind" protobuf:"bytes,2,opt,name=kind"`
}

func (*marked) Unmarshal([]byte) error { return nil }

func TestFieldsOfOddTypes(t *testing.T) {
	for path, want := range map[string]string{
		"-": `no field "-"`, "Hidden": `no field "Hidden"`, "counts[*]": "not strings", "parts[*].name": "not in protobuf",
		`parts[?(@.name=="x")].kind`: "not a string",
	} {
		if _, err := FieldOf[marked](path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	f, err := FieldOf[marked]("zero")
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range []Record{
		{Encoding: Protobuf, Body: []byte("\x10\x00")},
		{Encoding: Protobuf, Body: []byte("\x18\x00")},
		{Encoding: JSON, Body: []byte(`{"zero":0}`)},
		{Encoding: JSON, Body: []byte(`{}`)},
	} {
		if got := f.Append(nil, rec); !slices.Equal(got, []string{"0"}) {
			t.Errorf("an optional zero in %v %q: got %q", rec.Encoding, rec.Body, got)
		}
	}
}

// TestDuplicateFields checks that duplicate fields count once.
func TestDuplicateFields(t *testing.T) {
	pod := testPod(1)
	body := mustMarshal(t, &pod)
	for path, want := range map[string]string{"metadata.name": "pod-1", "spec.containers[*].name": "main", "metadata.labels.app": "app-1"} {
		f, err := FieldOf[corev1.Pod](path)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Append(nil, Record{Encoding: Protobuf, Body: append(body, body...)}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestTimesAreInUTC checks that values do not depend on the local time zone.
func TestTimesAreInUTC(t *testing.T) {
	local := time.Local
	time.Local = time.FixedZone("elsewhere", 5*3600)
	defer func() { time.Local = local }()
	lease := &coordinationv1.Lease{}
	lease.CreationTimestamp = metav1.Unix(1_700_000_000, 5)
	lease.Spec.RenewTime = &metav1.MicroTime{Time: time.Unix(1_700_000_000, 123_456_789)}
	for path, want := range map[string]string{
		"metadata.creationTimestamp": "2023-11-14T22:13:20Z", "spec.renewTime": "2023-11-14T22:13:20.123456Z",
	} {
		f, err := FieldOf[coordinationv1.Lease](path)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Append(nil, Record{Encoding: Protobuf, Body: mustMarshal(t, lease)}); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestFieldsOfDamagedBodies checks that values end at the damage. It hangs if they do
// not.
func TestFieldsOfDamagedBodies(t *testing.T) {
	for body, want := range map[string][]string{
		`{"a":[}`: nil, `{"a":["x",}`: {"x"}, `{"a":["x",,"y"]}`: {"x"}, `{"a":["x`: nil, `{"a":["x","y\`: {"x"}, `{"a":{"k":}}`: nil, `{"a":{"k":"x",7`: {"x"},
		`{"a":[1`: {"1"}, `{"a"`: nil, `{"a":`: nil, `{"b":[[],"a":["x"]}`: nil, `{"b"`: nil, `{`: nil, `[`: nil, `"a"`: nil, ``: nil,
		`{"a":["\u12","\ud8","\x"]}`: {"\ufffd12", "\ufffdd8", "\ufffd"},
	} {
		f, err := FieldOf[unstructured.Unstructured]("a[*]")
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Append(nil, Record{Encoding: JSON, Body: []byte(body)}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// TestScratchIsBounded checks that a Field keeps little memory.
func TestScratchIsBounded(t *testing.T) {
	f, err := FieldOf[unstructured.Unstructured]("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{10, maxScratch} {
		value := strings.Repeat(`\n`, n)
		if got := f.Append(nil, Record{Encoding: JSON, Body: []byte(`{"a":"` + value + `"}`)}); len(got[0]) != n {
			t.Errorf("got %d bytes, want %d", len(got[0]), n)
		}
		if kept := f.idle.Load(); kept != nil && cap(kept.scratch) > maxScratch {
			t.Errorf("got %d kept bytes", cap(kept.scratch))
		}
	}
}
