package swap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decodeAll decodes the values of a JSON stream.
func decodeAll[T any](data []byte) ([]T, error) {
	var all []T
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var v T
		switch err := dec.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("read the output of go: %w", err)
		}
		all = append(all, v)
	}
}
