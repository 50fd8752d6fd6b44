// Package listing prints lists as a table, JSON, YAML, names, JSONPath, CSV or NDJSON.
package listing
