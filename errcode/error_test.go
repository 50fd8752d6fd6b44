package errcode_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/vedette-io/vedette/errcode"
)

func TestError(t *testing.T) {
	for want, err := range map[string]error{
		"the name is empty":                    &errcode.Error{Problem: "the name is empty"},
		"the name is empty; set it":            &errcode.Error{Problem: "the name is empty", Remedy: "set it"},
		"the file cannot be read: EOF; try it": &errcode.Error{Problem: "the file cannot be read", Err: io.EOF, Remedy: "try it"},
		"No rights; ask for them":              &errcode.Error{Err: errors.New("No rights."), Remedy: "ask for them"},
		"EOF":                                  &errcode.Error{Err: io.EOF},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := (&errcode.Error{Err: io.EOF}); !errors.Is(err, io.EOF) {
		t.Error("the cause is not in the tree")
	}
}

// TestFind looks for codes and remedies in trees with several errors.
func TestFind(t *testing.T) {
	invalid := &errcode.Error{Code: errcode.Invalid, Problem: "a", Remedy: "inner"}
	uncoded := &errcode.Error{Problem: "b", Err: fmt.Errorf("wrapped: %w", invalid)}
	conflict := &errcode.Error{Code: errcode.Conflict, Problem: "c", Remedy: "outer", Err: uncoded}
	for name, c := range map[string]struct {
		err     error
		code    errcode.Code
		invalid *errcode.Error
		remedy  string
	}{
		"nil":              {nil, errcode.Unknown, nil, ""},
		"another type":     {io.EOF, errcode.Unknown, nil, ""},
		"itself":           {invalid, errcode.Invalid, invalid, "inner"},
		"below no code":    {uncoded, errcode.Invalid, invalid, "inner"},
		"below a code":     {conflict, errcode.Conflict, invalid, "outer"},
		"in a join":        {errors.Join(io.EOF, uncoded, conflict), errcode.Invalid, invalid, "inner"},
		"not in a join":    {errors.Join(io.EOF, io.ErrNoProgress), errcode.Unknown, nil, ""},
		"wrapped by print": {fmt.Errorf("x: %w", conflict), errcode.Conflict, invalid, "outer"},
	} {
		if got := errcode.Of(c.err); got != c.code {
			t.Errorf("%s: got code %v, want %v", name, got, c.code)
		}
		if got := errcode.Find(c.err, errcode.Invalid); got != c.invalid || errcode.Is(c.err, errcode.Invalid) != (c.invalid != nil) {
			t.Errorf("%s: got %v, want %v", name, got, c.invalid)
		}
		if got := errcode.RemedyOf(c.err); got != c.remedy {
			t.Errorf("%s: got remedy %q, want %q", name, got, c.remedy)
		}
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for code := errcode.Unknown; code <= errcode.Unavailable; code++ {
		if seen[code.String()] || (code != errcode.Unknown && code.String() == "unknown") {
			t.Errorf("code %d: got the name %v, want a unique one", code, code)
		}
		seen[code.String()] = true
	}
	if got := (errcode.Unavailable + 1).String(); got != "unknown" {
		t.Errorf("a code out of range: got %q, want unknown", got)
	}
}
