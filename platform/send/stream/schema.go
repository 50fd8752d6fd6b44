package stream

import _ "embed"

// SchemaURL is the address of the JSON Schema of Data, the attribute dataschema of events.
const SchemaURL = "https://raw.githubusercontent.com/vedette-io/vedette/main/platform/send/stream/transition.v1.schema.json"

//go:embed transition.v1.schema.json
var schema []byte

// Schema returns the JSON Schema of Data.
func Schema() []byte { return append([]byte(nil), schema...) }
