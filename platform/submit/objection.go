package submit

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// objections extracts the problems from a refusal.
type objections struct {
	manifest *manifest.Manifest
	// renamed is set if the name was made from generateName; a problem of the name then
	// has the line of generateName.
	renamed bool
}

// at returns a problem with the line of its field.
func (o objections) at(field, message, kind string) Problem {
	p := Problem{Field: field, Source: o.manifest.Source, Message: message, Type: kind}
	place := field
	if o.renamed && field == "metadata.name" {
		place = "metadata.generateName"
	}
	p.Line, _ = o.manifest.Line(place)
	p.Parameter, _ = o.manifest.Origin(place)
	return p
}

// of returns the problems in an error of a server or of package kube; nil if the refusal
// is not about the job.
func (o objections) of(err error) []Problem {
	if illegal := errcode.Find(err, errcode.Invalid); illegal != nil {
		return []Problem{o.at(illegalField(illegal), illegal.Error(), "")}
	}
	var unknown *kube.UnknownResourceError
	if errors.As(err, &unknown) {
		return []Problem{o.at("kind", unknown.Error(), string(metav1.StatusReasonNotFound))}
	}
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) {
		return nil
	}
	s := refused.Status()
	switch {
	case s.Details != nil && len(s.Details.Causes) > 0 && (s.Code == 422 || s.Code == 400):
		return o.causes(s.Details.Causes)
	case s.Code == 400:
		return o.decoding(s.Message)
	case s.Code == 404 && s.Details != nil && s.Details.Kind == "namespaces":
		return []Problem{o.at("metadata.namespace", s.Message, string(s.Reason))}
	case s.Code == 403, s.Code == 413, s.Code == 422, strings.Contains(s.Message, tooLarge):
		return []Problem{o.at("", s.Message, string(s.Reason))}
	}
	return nil
}

// illegalField guesses the field of an error of package kube.
func illegalField(e *errcode.Error) string {
	if strings.Contains(e.Problem, "namespace") {
		return "metadata.namespace"
	}
	return "metadata.name"
}

func (o objections) causes(all []metav1.StatusCause) []Problem {
	prefix := slices.ContainsFunc(all, func(c metav1.StatusCause) bool { return c.Field == "metadata.generateName" })
	var problems []Problem
	for _, c := range all {
		if o.renamed && prefix && c.Field == "metadata.name" {
			continue // it repeats the problem of the prefix
		}
		problems = append(problems, o.at(c.Field, c.Message, string(c.Type)))
	}
	return problems
}

const strictDecoding = "strict decoding error: "

var (
	// oneMistake matches the beginning of each mistake of a strict decoding error.
	oneMistake = regexp.MustCompile(`(?:^|, )((?:unknown|duplicate) field ("(?:[^"\\]|\\.)*"))`)
	// wrongType matches the text of a decoder about a value of a wrong type. The name of a
	// Go struct precedes the path.
	wrongType = regexp.MustCompile(`Go struct field [^.\s]+\.(\S+) of type`)
)

// decoding extracts the mistakes from a message of the server's decoder, which has no
// causes.
func (o objections) decoding(message string) []Problem {
	if _, mistakes, ok := strings.Cut(message, strictDecoding); ok {
		var problems []Problem
		for _, m := range oneMistake.FindAllStringSubmatch(mistakes, -1) {
			problems = append(problems, o.at(unquote(m[2]), m[1], string(metav1.StatusReasonBadRequest)))
		}
		if len(problems) > 0 {
			return problems
		}
	}
	if m := wrongType.FindStringSubmatch(message); m != nil {
		return []Problem{o.at(indexed(o.manifest.Object.Object, m[1]), message, string(metav1.StatusReasonBadRequest))}
	}
	return []Problem{o.at("", message, string(metav1.StatusReasonBadRequest))}
}

// indexed adds the missing indexes of lists to a path, for lists with one item. It returns
// the path up to a list with several items.
func indexed(object map[string]any, path string) string {
	var at any = object
	done := ""
	for field := range strings.SplitSeq(path, ".") {
		if list, ok := at.([]any); ok {
			if len(list) != 1 {
				return done
			}
			done, at = done+"[0]", list[0]
		}
		fields, _ := at.(map[string]any)
		done, at = strings.TrimPrefix(done+"."+field, "."), fields[field]
	}
	return done
}

func unquote(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return strings.Trim(text, `"`)
}

// isStrict reports whether a refusal is about unknown or duplicate fields. The server has
// then not validated the rest of the object.
func isStrict(err error) bool {
	var refused apierrors.APIStatus
	return errors.As(err, &refused) && refused.Status().Code == 400 && strings.Contains(refused.Status().Message, strictDecoding)
}
