package main

import "github.com/vedette-io/vedette/record/history"

// nameOf returns the name of an object in the form of kubectl's output format name.
func nameOf(obj history.Object) string { return obj.Type.Singular() + "/" + obj.Name }

// label returns the word to print for a state: the raw state if the common one is unknown.
func label(common, raw string) string {
	switch {
	case common != "":
		return common
	case raw != "":
		return raw
	}
	return "-"
}
