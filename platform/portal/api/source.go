package api

import "embed"

// Source has the files of this package. The OpenAPI document takes the descriptions of types
// and fields from their comments.
//
//go:embed *.go
var Source embed.FS
