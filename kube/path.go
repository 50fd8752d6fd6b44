package kube

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	validpath "k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vedette-io/vedette/errcode"
)

// address returns the URL of a path below the address of the server. All URLs that
// contain names are built here: address checks and escapes each segment, so a name
// never leads to another path.
func (c *Cluster) address(segments ...string) (*url.URL, error) {
	u := *c.base
	path, escaped := strings.TrimRight(u.Path, "/"), strings.TrimRight(u.EscapedPath(), "/")
	for _, s := range segments {
		if err := checkSegment("path segment", s); err != nil {
			return nil, err
		}
		path += "/" + s
		escaped += "/" + url.PathEscape(s)
	}
	u.Path, u.RawPath = path, escaped
	return &u, nil
}

// checkSegment rejects text that cannot be a path segment: escaping does not help
// against "..", and servers reject "%".
func checkSegment(what, text string) error {
	if text == "" {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the %s is empty", what)}
	}
	problems := validpath.IsValidPathSegmentName(text)
	if !utf8.ValidString(text) {
		problems = append(problems, "is not UTF-8")
	}
	if len(problems) > 0 {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the %s %.80q is not valid: it %s", what, text, problems[0])}
	}
	return nil
}

// checkName rejects an invalid object name.
func checkName(name string) error {
	if name == "" {
		return &errcode.Error{Code: errcode.Invalid, Problem: "the name of the object is empty", Remedy: "set metadata.name"}
	}
	return checkSegment("name", name)
}

// CheckNamespace returns an error for an invalid namespace name. The server allows
// lowercase letters, digits and '-', at most 63 of them.
//
// Errors: errcode.Invalid.
func CheckNamespace(name string) error {
	if len(validation.IsDNS1123Label(name)) == 0 {
		return nil
	}
	return &errcode.Error{
		Code:    errcode.Invalid,
		Problem: fmt.Sprintf("the namespace %.80q is not valid", name),
		Remedy:  "use lowercase letters, digits and '-', at most 63",
	}
}

// check returns an error for a type whose names cannot be part of a path.
func (r *Resource) check() error {
	valid := r.Group == "" || len(validation.IsDNS1123Subdomain(r.Group)) == 0
	valid = valid && len(validation.IsDNS1123Label(r.Version)) == 0 && len(validation.IsDNS1123Subdomain(r.Name)) == 0
	if valid {
		return nil
	}
	return &errcode.Error{
		Code:    errcode.Invalid,
		Problem: fmt.Sprintf("the resource %.80q of version %.80q of group %.80q is not valid", r.Name, r.Version, r.Group),
		Remedy:  "use the result of Cluster.Resolve",
	}
}

// Check returns an error for a selection that no server can serve: an invalid namespace
// name, or a selector that cannot be parsed.
//
// Errors: errcode.Invalid.
func (s Selection) Check() error {
	if s.Namespace != "" {
		if err := CheckNamespace(s.Namespace); err != nil {
			return err
		}
	}
	if _, err := labels.Parse(s.LabelSelector); err != nil {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the label selector %q is not valid: %v", s.LabelSelector, err)}
	}
	if _, err := fields.ParseSelector(s.FieldSelector); err != nil {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the field selector %q is not valid: %v", s.FieldSelector, err)}
	}
	if err := s.UIDs.Check(); err != nil {
		return &errcode.Error{Code: errcode.Invalid, Problem: err.Error()}
	}
	return nil
}
