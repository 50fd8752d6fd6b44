// Package answers plays the requests of a file on an API server, and writes down its answers in one line
// each. Tests compare a real server, the server in the process, and the file with each other.
package answers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Step is one request with its answer.
type Step struct {
	Name string `json:"name"`
	// Do is the method and the path. In it and in Body, $NAME is a value that an earlier step has saved.
	Do   string `json:"do"`
	Type string `json:"type"` // Content-Type
	Body string `json:"body"`
	// Show has the paths of the fields of the answer that belong to Want.
	Show string `json:"show"`
	// Save is NAME=PATH: the field of the answer that later steps may use.
	Save string `json:"save"`
	// Want is the answer of a real server: the code, the reason, and the fields of Show.
	Want string `json:"want"`
	// Differs is the answer of the server in the process where it is another one.
	Differs string `json:"differs"`
}

// Read returns the steps of a file.
//
// Errors: those of reading the file; YAML that is not a list of steps.
func Read(path string) (steps []Step, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return steps, yaml.UnmarshalStrict(text, &steps)
}

// Play sends the requests of steps, in order, and returns the answers by the names of the steps.
//
// Errors: those of net/http; an answer that cannot be read.
func Play(ctx context.Context, cfg *rest.Config, steps []Step) (map[string]string, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	p := player{ctx, client, strings.TrimSuffix(base.String(), "/"), map[string]string{
		"long": strings.Repeat("g", 260), "manager": strings.Repeat("a", 129),
	}}
	all := map[string]string{}
	for _, step := range steps {
		if all[step.Name], err = p.play(step); err != nil {
			return nil, fmt.Errorf("%s: %w", step.Name, err)
		}
	}
	return all, nil
}

type player struct {
	ctx   context.Context
	http  *http.Client
	base  string
	saved map[string]string
}

// play sends one request and returns its answer.
func (p *player) play(step Step) (string, error) {
	method, path, _ := strings.Cut(p.fill(step.Do), " ")
	req, err := http.NewRequestWithContext(p.ctx, method, p.base+path, strings.NewReader(p.fill(step.Body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", "application/json")
	if step.Type != "" {
		req.Header.Set("Content-Type", step.Type)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if strings.Contains(path, "watch=true") && resp.StatusCode == http.StatusOK {
		event, err := firstEvent(resp.Body)
		return "200 " + event, err
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var answer map[string]any
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(text, &answer); err != nil {
			return "", err
		}
	}
	if name, path, ok := strings.Cut(step.Save, "="); ok {
		p.saved[name] = show(answer, path)
	}
	return p.line(resp.StatusCode, answer, step), nil
}

// line returns an answer as one line.
func (p *player) line(code int, answer map[string]any, step Step) string {
	var line strings.Builder
	fmt.Fprint(&line, code)
	if reason, _ := answer["reason"].(string); reason != "" {
		line.WriteString(" " + reason)
	}
	for path := range strings.FieldsSeq(step.Show) {
		line.WriteString(" " + path + "=" + show(answer, path))
	}
	return line.String()
}

// fill replaces the names of saved values.
func (p *player) fill(text string) string {
	for name, value := range p.saved {
		text = strings.ReplaceAll(text, "$"+name, value)
	}
	return text
}

// firstEvent returns the first event of a watch, which has a timeout: silent if it ends without one.
func firstEvent(body io.Reader) (string, error) {
	var event struct {
		Type   string `json:"type"`
		Object struct {
			Reason string `json:"reason"`
			Code   int    `json:"code"`
		} `json:"object"`
	}
	switch err := json.NewDecoder(body).Decode(&event); {
	case errors.Is(err, io.EOF):
		return "silent", nil
	case err != nil:
		return "", err
	case event.Object.Code != 0:
		return fmt.Sprintf("event %s %s %d", event.Type, event.Object.Reason, event.Object.Code), nil
	}
	return "event " + event.Type, nil
}

// show returns the text of a field; none if there is no such field.
func show(answer map[string]any, path string) string {
	var value any = answer
	for name := range strings.SplitSeq(path, ".") {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	if value == nil {
		return "none"
	}
	return fmt.Sprint(value)
}
