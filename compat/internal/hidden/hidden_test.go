package hidden_test

import (
	"io"
	"reflect"
	"testing"

	"github.com/vedette-io/vedette/compat/internal/hidden"
)

type holder struct {
	number int
	err    error
}

func TestField(t *testing.T) {
	h := &holder{number: 7, err: io.EOF}
	v := reflect.ValueOf(h).Elem()
	number, other, err := 0, int64(3), error(nil)
	if !hidden.Field(v, "number", &number) || number != 7 {
		t.Error("a field is not read:", number)
	}
	if !hidden.Field(v, "err", &err) || err != io.EOF {
		t.Error("an interface is not read:", err)
	}
	if hidden.Field(v, "number", &other) || other != 3 {
		t.Error("a field is read as another type:", other)
	}
	if hidden.Field(v, "none", &number) || number != 7 {
		t.Error("got a value of a field that does not exist:", number)
	}
	if hidden.Field(reflect.ValueOf(holder{number: 8}), "number", &number) || number != 7 {
		t.Error("a field of a copy is read:", number)
	}
}
