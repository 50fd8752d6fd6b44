package web

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/portal/api"
)

// refusal is a status that an operation may answer with, and the problem that it means.
type refusal struct {
	typ    string
	status int
	text   string
}

// statuses are the refusals that the document describes, in the order of their statuses.
var statuses = []refusal{
	{api.ProblemInvalid, http.StatusBadRequest, "The request cannot be read"},
	{api.ProblemSignIn, http.StatusUnauthorized, "Nobody is signed in, or the token or the session has ended"},
	{api.ProblemDenied, http.StatusForbidden, "The person lacks a right; role has one that gives it, if that is known"},
	{api.ProblemForgery, http.StatusForbidden, "Another site may have sent the request; a write needs a bearer token or X-Vedette-CSRF"},
	{api.ProblemUnknown, http.StatusNotFound, "There is no such thing, or none that the person may see"},
	{api.ProblemConflict, http.StatusConflict, "The state has changed, or the name is taken"},
	{api.ProblemGone, http.StatusGone, "Retention has removed it"},
	{api.ProblemTooLarge, http.StatusRequestEntityTooLarge, "The body has too many bytes"},
	{api.ProblemInvalid, http.StatusUnprocessableEntity, "The request has mistakes; fields has each of them"},
	{api.ProblemTooMany, http.StatusTooManyRequests, "There were too many requests; retryAfter says when to try again"},
	{api.ProblemFault, http.StatusInternalServerError, "A fault of the portal; its log has the cause under instance"},
	{api.ProblemCluster, http.StatusBadGateway, "The API server did not answer, or refused"},
	{api.ProblemLoading, http.StatusServiceUnavailable, "The portal has started and reads the history; done says how far it is"},
	{api.ProblemUnavailable, http.StatusServiceUnavailable, "This portal cannot do that as it is configured"},
	{api.ProblemDatabase, http.StatusGatewayTimeout, "The database did not answer in time"},
}

// always are the types of problems that any operation answers with.
var always = []string{
	api.ProblemSignIn, api.ProblemForgery, api.ProblemTooMany, api.ProblemFault, api.ProblemCluster, api.ProblemLoading, api.ProblemUnavailable, api.ProblemDatabase,
}

// refusals documents the problems of an operation with an input, each at its status: those that its
// method, its path and its input imply, and some more. schema is that of api.Problem.
func refusals(o *huma.Operation, input reflect.Type, more []string, schema *huma.Schema) map[string]*huma.Response {
	types := append(slices.Clone(always), more...)
	if strings.Contains(o.Path, "{") {
		types = append(types, api.ProblemUnknown)
	}
	if input.NumField() > 0 {
		types = append(types, api.ProblemInvalid)
	}
	if o.Method != http.MethodGet {
		types = append(types, api.ProblemDenied, api.ProblemUnknown, api.ProblemConflict)
		if _, ok := input.FieldByName("Body"); ok {
			types = append(types, api.ProblemTooLarge)
		}
	}
	all := map[string]*huma.Response{
		"default": {Description: "A problem", Content: map[string]*huma.MediaType{api.ProblemType: {Schema: schema}}},
	}
	for _, r := range statuses {
		if !slices.Contains(types, r.typ) {
			continue
		}
		status, text := strconv.Itoa(r.status), r.text+" ("+r.typ+")."
		if of := all[status]; of != nil {
			of.Description += " " + text
			continue
		}
		all[status] = &huma.Response{Description: text, Content: map[string]*huma.MediaType{api.ProblemType: {Schema: schema}}}
	}
	return all
}
