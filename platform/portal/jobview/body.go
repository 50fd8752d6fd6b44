package jobview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/wire"
)

// ErrSecret is returned for the body of a Secret, which the portal never shows.
var ErrSecret = errors.New("the data of Secrets is not shown")

// ErrLarge is returned for a body whose YAML would be far larger than the recorded JSON.
var ErrLarge = objectyaml.ErrLarge

// hidden replaces hidden data.
const hidden = "(not shown)"

// Body returns a recorded body as YAML. Fields are sorted by name. version becomes
// metadata.resourceVersion, which recorders do not store; 0 omits it. The data of Secrets within
// the object is replaced.
//
// Errors: ErrSecret; ErrLarge; a body that is not an object.
func Body(body []byte, version wire.Version) (api.Body, error) {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // keeps the digits of numbers
	if err := d.Decode(&object); err != nil {
		return api.Body{}, fmt.Errorf("read the body of version %v: %w", version, err)
	}
	if isSecret(object) {
		return api.Body{}, ErrSecret
	}
	hideSecrets(object)
	if metadata, ok := object["metadata"].(map[string]any); ok && version != 0 {
		metadata["resourceVersion"] = version.String()
	}
	text, err := objectyaml.Marshal(object)
	if err != nil {
		return api.Body{}, fmt.Errorf("write version %v as YAML: %w", version, err)
	}
	return api.Body{Version: version.String(), YAML: text, Bookkeeping: bookkeeping(text)}, nil
}

// isSecret reports whether a mapping is a Secret of the core group.
func isSecret(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	return kind == "Secret"
}

// secretText finds a Secret, or a list of Secrets, in the text of an embedded manifest, such as
// kubectl's annotation or a resource template of a workflow. A tag, an anchor or a block indicator
// may precede the kind.
var secretText = regexp.MustCompile(`(?:^|[^\w-])kind['"]?\s*:\s*(?:[!&|>]\S*\s+)*['"]?Secret(?:List)?(?:['"]|[\s,}\]#]|$)`)

// escaped matches the escapes of nested texts, at any level.
var escaped = regexp.MustCompile(`\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt]|)`)

// unescaped removes the escapes from a text, because a manifest within a manifest is escaped.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escaped.ReplaceAllStringFunc(text, func(found string) string {
		code := strings.TrimLeft(found, `\`)
		switch {
		case code == "":
			return ""
		case len(code) == 1:
			return "\n"
		}
		r, _ := strconv.ParseUint(code[1:], 16, 32) // the expression matches hexadecimal digits
		return string(rune(r))
	})
}

// hasSecret reports whether a text may contain the data of a Secret.
func hasSecret(text string) bool {
	return secretText.MatchString(text) || secretText.MatchString(unescaped(text))
}

// hideSecrets replaces the data of Secrets below a value.
func hideSecrets(v any) {
	switch v := v.(type) {
	case map[string]any:
		if isSecret(v) {
			for _, field := range []string{"data", "stringData"} {
				if _, there := v[field]; there {
					v[field] = hidden
				}
			}
		}
		if v["kind"] == "SecretList" { // the items of a list have no kind
			v["items"] = hidden
		}
		for name, below := range v {
			if text, ok := below.(string); ok && hasSecret(text) {
				v[name] = hidden
			}
			hideSecrets(below)
		}
	case []any:
		for i, below := range v {
			if text, ok := below.(string); ok && hasSecret(text) {
				v[i] = hidden
			}
			hideSecrets(below)
		}
	}
}

// Fields that the API server and kubectl write, directly below metadata and below its annotations.
var (
	keptFields      = []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "selfLink"}
	keptAnnotations = []string{"kubectl.kubernetes.io/last-applied-configuration"}
)

// bookkeeping returns the lines of the metadata of an object that users did not write. The text
// must come from [objectyaml.Marshal]: it indents mappings by two spaces and does not indent
// sequences.
func bookkeeping(text string) (all []api.LineRange) {
	within := "" // the field at the root
	annotations := false
	open := -1 // the indent of the field whose lines are being collected
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		rest := strings.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		if open >= 0 && (rest == "" || indent > open || indent == open && strings.HasPrefix(rest, "- ")) {
			all[len(all)-1].To = n
			continue
		}
		if rest == "" {
			continue // a line of a block scalar
		}
		open = -1
		name, _, _ := strings.Cut(rest, ":")
		switch {
		case indent == 0:
			within, annotations = name, false
		case within != "metadata":
		case indent == 2:
			annotations = name == "annotations"
			if slices.Contains(keptFields, name) {
				open = 2
			}
		case indent == 4 && annotations && slices.Contains(keptAnnotations, name):
			open = 4
		}
		if open >= 0 {
			if k := len(all); k > 0 && all[k-1].To == n-1 {
				all[k-1].To = n
			} else {
				all = append(all, api.LineRange{From: n, To: n})
			}
		}
	}
	return all
}

// JSON returns a recorded body as JSON and keeps the digits of its numbers. The data of Secrets
// within the object is replaced, as in Body.
//
// Errors: ErrSecret; a body that is not an object.
func JSON(body []byte) ([]byte, error) {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("read a body: %w", err)
	}
	if isSecret(object) {
		return nil, ErrSecret
	}
	hideSecrets(object)
	return json.Marshal(object)
}
