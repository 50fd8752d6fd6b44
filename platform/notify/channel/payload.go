package channel

import (
	"bytes"
	"encoding/json"
)

// Payload returns v as JSON in one line. Unlike json.Marshal, it does not escape "<", ">"
// and "&": six bytes for each would count against the limits of the endpoints.
func Payload(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
