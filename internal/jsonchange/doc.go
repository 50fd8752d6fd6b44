// Package jsonchange applies the change that a function made to a Go struct to the JSON that
// the struct was decoded from. The JSON may have members that the struct lacks; they stay.
//
// Admission webhooks send the result as a JSON patch, and clients write it as an object.
package jsonchange
