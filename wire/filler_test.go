package wire

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// mapKeys are the keys of the maps that fill creates.
var mapKeys = []string{"app", "a.b/c", `q"'\`, "☃", ""}

var texts = []string{"", "", "x", "Running", `"quoted" \ `, "tab\tline\n\u2028", "☃ 🤖", "</script>&", "\x00\x1f", strings.Repeat("long", 40)}

var amounts = []string{"0", "1", "100m", "1Gi", "1024Mi", "-3", "1.5", "12e6", "4294967296"}

// fill sets everything in v to random values, including zero values.
func fill(r *rand.Rand, v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		p.Time = moment(r)
		return
	case *metav1.MicroTime:
		p.Time = moment(r)
		return
	case *metav1.Duration:
		p.Duration = time.Duration(r.Int64N(1<<50) * r.Int64N(2))
		return
	case *resource.Quantity:
		if r.IntN(4) > 0 {
			*p = resource.MustParse(amounts[r.IntN(len(amounts))])
		}
		return
	case *intstr.IntOrString:
		*p = intstr.FromInt32(int32(r.IntN(3)) * r.Int32())
		if r.IntN(2) == 0 {
			*p = intstr.FromString(texts[r.IntN(len(texts))])
		}
		return
	}
	if v.Addr().Type().Implements(jsonMarshaler) {
		return
	}
	fillKind(r, v)
}

func fillKind(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Int32()-1<<30) * int64(r.IntN(2)))
	case reflect.Pointer:
		if r.IntN(2) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			elem := reflect.New(v.Type().Elem()).Elem()
			fill(r, elem)
			v.SetMapIndex(reflect.ValueOf(mapKeys[r.IntN(len(mapKeys))]).Convert(v.Type().Key()), elem)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[metav1.TypeMeta]() {
				fill(r, v.Field(i))
			}
		}
	}
}

// moment returns the zero time, the epoch, or a time in a year of four digits.
func moment(r *rand.Rand) time.Time {
	switch r.IntN(5) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(0, 0)
	}
	return time.Unix(r.Int64N(250_000_000_000)-10_000_000_000, r.Int64N(1e9))
}

// leafPaths returns a path to every scalar of t.
func leafPaths(t reflect.Type, at string) (paths []string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, scalar := leaves[t]; scalar {
		return []string{at}
	}
	if reflect.PointerTo(t).Implements(jsonMarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, inline := jsonName(f)
			switch {
			case f.Type == reflect.TypeFor[metav1.TypeMeta]():
			case inline:
				paths = append(paths, leafPaths(f.Type, at)...)
			default:
				paths = append(paths, leafPaths(f.Type, strings.TrimPrefix(at+"."+name, "."))...)
			}
		}
	case reflect.Map:
		for _, step := range []string{"[*]", "['app']", "['a.b/c']", `["q\"'\\"]`, "['☃']", ".none"} {
			paths = append(paths, leafPaths(t.Elem(), at+step)...)
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil
		}
		paths = leafPaths(t.Elem(), at+"[*]")
		if t.Elem().Kind() != reflect.Struct {
			break
		}
		for _, member := range []string{"name", "type", "key"} {
			if f, _, found := structField(t.Elem(), member); found && f.Type.Kind() == reflect.String {
				paths = append(paths, leafPaths(t.Elem(), fmt.Sprintf(`%s[?(@.%s=="☃ 🤖")]`, at, member))...)
			}
		}
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		return []string{at}
	}
	return paths
}
