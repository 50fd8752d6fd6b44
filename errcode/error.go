package errcode

import "strings"

// Error is an error with a code and a remedy. Problem or Err must be set.
type Error struct {
	Code Code
	// Problem describes what is wrong, in a sentence without a period. If it is empty, Err
	// describes it.
	Problem string
	// Remedy is what to do about it, in half a sentence, or "" if that is unknown.
	Remedy string
	// Err is the cause, or nil.
	Err error
}

// Error returns the problem, the cause and the remedy: "problem: cause; remedy".
func (e *Error) Error() string {
	text := e.Problem
	switch {
	case e.Err == nil:
	case text == "":
		text = e.Err.Error()
	default:
		text += ": " + e.Err.Error()
	}
	if e.Remedy != "" {
		text = strings.TrimRight(text, ".") + "; " + e.Remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Find returns the outermost Error with a code in the tree of err, or nil.
func Find(err error, code Code) *Error {
	return find(err, func(e *Error) bool { return e.Code == code })
}

// Is reports whether the tree of err contains an Error with a code.
func Is(err error, code Code) bool { return Find(err, code) != nil }

// Of returns the outermost known code in the tree of err, or Unknown.
func Of(err error) Code {
	if e := find(err, func(e *Error) bool { return e.Code != Unknown }); e != nil {
		return e.Code
	}
	return Unknown
}

// RemedyOf returns the outermost remedy in the tree of err, or "".
func RemedyOf(err error) string {
	if e := find(err, func(e *Error) bool { return e.Remedy != "" }); e != nil {
		return e.Remedy
	}
	return ""
}

// find returns the first matching Error in the tree of err, in the order of errors.As.
func find(err error, matches func(*Error) bool) *Error {
	for err != nil {
		if e, ok := err.(*Error); ok && matches(e) {
			return e
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range x.Unwrap() {
				if e := find(err, matches); e != nil {
					return e
				}
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}
