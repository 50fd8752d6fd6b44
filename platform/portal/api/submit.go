package api

// TemplateList are the templates of jobs.
type TemplateList struct {
	Templates []Template `json:"templates"`
	// Broken are the templates with errors. They are sent with text=true only.
	Broken []BrokenTemplate `json:"broken,omitempty"`
}

// BrokenTemplate is a template with mistakes.
type BrokenTemplate struct {
	Name     string   `json:"name"`
	From     string   `json:"from"`
	Replaces []string `json:"replaces,omitempty"`
	Mistakes []string `json:"mistakes"`
}

// Template is a template of jobs and its form.
type Template struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Type        string      `json:"type"`
	Source      string      `json:"source"`
	Parameters  []Parameter `json:"parameters,omitempty"`
	// From is the source of the template. Replaces are the sources of templates with the same name
	// that this one replaces. Text is its file. They are sent with text=true only.
	From     string   `json:"from,omitempty"`
	Replaces []string `json:"replaces,omitempty"`
	Text     string   `json:"text,omitempty"`
}

// Parameter is a field of the form.
type Parameter struct {
	Name     string   `json:"name"`
	Title    string   `json:"title,omitempty"`
	Help     string   `json:"help,omitempty"`
	Group    string   `json:"group,omitempty"`
	Type     string   `json:"type"` // text, int, number, bool, quantity, duration, list, map
	Default  any      `json:"default,omitempty"`
	Required bool     `json:"required,omitempty"`
	Min      any      `json:"min,omitempty"`
	Max      any      `json:"max,omitempty"`
	Pattern  string   `json:"pattern,omitempty"`
	Choices  []string `json:"choices,omitempty"`
	Unit     string   `json:"unit,omitempty"`
}

// RenderRequest renders the values of a form as YAML.
type RenderRequest struct {
	Template string         `json:"template"`
	Values   map[string]any `json:"values"`
}

// Rendered is the YAML of a form.
type Rendered struct {
	YAML string `json:"yaml"`
	// Lines has the lines that contain the value of each parameter.
	Lines    map[string][]int `json:"lines,omitempty"`
	Problems []FieldProblem   `json:"problems,omitempty"`
}

// SubmitRequest submits a job, or checks it by a dry run. It has either YAML, or a template
// with values.
type SubmitRequest struct {
	Cluster   string         `json:"cluster"`
	Namespace string         `json:"namespace,omitempty"`
	YAML      string         `json:"yaml,omitempty"`
	Template  string         `json:"template,omitempty"`
	Values    map[string]any `json:"values,omitempty"`
	// Key identifies the request: two requests with one key create one job. Without a key, each
	// request is one of its own.
	Key string `json:"key,omitempty"`
	// CloneOf is the job whose YAML was copied and edited.
	CloneOf *JobRef `json:"cloneOf,omitempty"`
	// Hold submits the job suspended and without its queue, until it is released.
	Hold bool `json:"hold,omitempty"`
	// Notify subscribes the person to the job.
	Notify bool `json:"notify,omitempty"`
	// MadeFrom is the name of the template that the YAML was made from, if any.
	MadeFrom string `json:"madeFrom,omitempty"`
	// Again gives the job a new name, which begins with the name in the YAML.
	Again bool `json:"again,omitempty"`
	// Object requests the object as the API server stores it.
	Object bool `json:"object,omitempty"`
}

// Checked is the answer to a dry run.
type Checked struct {
	// OK reports that the server would accept the job.
	OK       bool           `json:"ok"`
	Problems []FieldProblem `json:"problems,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	YAML     string         `json:"yaml,omitempty"` // as submitted, if made from a template
	// Seconds is how long the dry run took.
	Seconds float64 `json:"seconds"`
	// Asks has the resources that the job requests.
	GPUs int `json:"gpus"`
	Pods int `json:"pods"`
	// Forecast predicts the job's place in line and its start; missing if unknown.
	Forecast *Forecast `json:"forecast,omitempty"`
	// Object is the JSON of the object that the API server would store, if it was requested. Before
	// reports that the same request was accepted earlier: Object is then the existing job.
	Object string `json:"object,omitempty"`
	Before bool   `json:"before,omitempty"`
}

// Forecast is the prediction for a job that is not submitted yet.
type Forecast struct {
	Quota  *Quota       `json:"quota,omitempty"`
	Line   *Line        `json:"line,omitempty"`
	Likely *LikelyStart `json:"likely,omitempty"`
	Like   *LikeJobs    `json:"like,omitempty"`
	// Ran is the median run time of RanJobs similar jobs.
	Ran     float64 `json:"ran,omitempty"`
	RanJobs int     `json:"ranJobs,omitempty"`
}

// Submitted is a job that was accepted.
type Submitted struct {
	Job JobRef `json:"job"`
	// Created is false if the same request was accepted earlier.
	Created  bool     `json:"created"`
	Warnings []string `json:"warnings,omitempty"`
	// Before reports that the same request was accepted earlier. After a dry run, Created and
	// Before are false.
	Before bool `json:"before,omitempty"`
	// Object is the JSON of the object, if it was requested.
	Object string `json:"object,omitempty"`
}

// StopRequest cancels a job.
type StopRequest struct {
	Reason string `json:"reason,omitempty"`
	// Confirm is the name of the job. It is required if the job holds GPUs.
	Confirm string `json:"confirm,omitempty"`
	// How is delete or suspend; by default the type of the job decides.
	How string `json:"how,omitempty"`
	// DryRun checks the request at the API server without changing anything.
	DryRun bool `json:"dryRun,omitempty"`
}

// RetryRequest submits a copy of a job.
type RetryRequest struct {
	// Key identifies the request, as in SubmitRequest.
	Key string `json:"key,omitempty"`
	// Set changes fields: "spec.backoffLimit=3".
	Set []string `json:"set,omitempty"`
	// Running allows a retry of a job that has not ended.
	Running bool `json:"running,omitempty"`
	// DryRun checks the copy at the API server without creating it.
	DryRun bool `json:"dryRun,omitempty"`
	// Object asks for the object as the API server stores it.
	Object bool `json:"object,omitempty"`
}
