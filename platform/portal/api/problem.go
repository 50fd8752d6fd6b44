package api

// Problem is an error of the API: a problem document (RFC 9457) with the media type
// application/problem+json.
type Problem struct {
	// Type is one of the constants below, such as urn:vedette:problem:denied. It never changes its
	// meaning, and each operation names those that it answers with.
	Type   string `json:"type"`
	Title  string `json:"title"` // what failed, in a few words
	Status int    `json:"status"`
	// Detail says what failed, on what, why, and what to do next.
	Detail string `json:"detail,omitempty"`
	// Instance identifies this error in the log of the server. It has 8 hexadecimal digits.
	Instance string `json:"instance,omitempty"`
	// Fields are the mistakes of a request, each at its field.
	Fields []FieldProblem `json:"fields,omitempty"`
	// Role is the YAML of a role that would allow the request.
	Role string `json:"role,omitempty"`
	// RetryAfter is after how many seconds to try again; 0 if that is not known.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Done is the share of the work that is done, from 0 to 1, while the portal loads.
	Done float64 `json:"done,omitempty"`
}

// Error returns the detail, or the title.
func (p *Problem) Error() string {
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title
}

// GetStatus returns the status code.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of problem documents.
func (*Problem) ContentType(string) string { return ProblemType }

// ProblemType is the media type of problem documents.
const ProblemType = "application/problem+json"

// Types of problems.
const (
	ProblemInvalid     = "urn:vedette:problem:invalid"     // 400, 422: the request has mistakes
	ProblemSignIn      = "urn:vedette:problem:sign-in"     // 401: nobody is signed in
	ProblemDenied      = "urn:vedette:problem:denied"      // 403: the person lacks a right
	ProblemForgery     = "urn:vedette:problem:forgery"     // 403: the CSRF token is missing or wrong
	ProblemUnknown     = "urn:vedette:problem:unknown"     // 404: there is no such thing, or the person may not see it
	ProblemConflict    = "urn:vedette:problem:conflict"    // 409: the state has changed, or the name is in use
	ProblemGone        = "urn:vedette:problem:gone"        // 410: retention has removed it
	ProblemTooLarge    = "urn:vedette:problem:too-large"   // 413
	ProblemTooMany     = "urn:vedette:problem:too-many"    // 429: more requests than one person may send
	ProblemFault       = "urn:vedette:problem:fault"       // 500: a fault of the portal
	ProblemCluster     = "urn:vedette:problem:cluster"     // 502: the API server did not answer, or refused
	ProblemUnavailable = "urn:vedette:problem:unavailable" // 503: the portal is not configured for this
	ProblemLoading     = "urn:vedette:problem:loading"     // 503: the portal has started and is still reading the history
	ProblemDatabase    = "urn:vedette:problem:database"    // 504: the database did not answer in time
)

// FieldProblem is one mistake of a request.
type FieldProblem struct {
	// Field is the path of the field: "spec.template.spec.containers[0].image", or the name of
	// a parameter of the request.
	Field string `json:"field,omitempty"`
	// Parameter is the parameter of the template that the value came from.
	Parameter string `json:"parameter,omitempty"`
	// Line is the line of the YAML, from 1; 0 if unknown.
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	// Repair is the value that would be accepted; empty unless there is exactly one.
	Repair string `json:"repair,omitempty"`
}
