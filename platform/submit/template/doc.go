// Package template renders jobs from templates with parameters, defaults and checks.
//
// # Data flow
//
//	a file, a ConfigMap or the program itself -> Parse -> Template -> Set, by name
//	flags or a form -> Template.Values, Parameter.Convert -> Values
//	Values -> Template.Render -> manifest.Manifest, with lines and origins
//
// A template is YAML. Its object has expressions in CEL over the parameters:
//
//	name: one-pod
//	type: pods
//	parameters:
//	- {name: image, required: true}
//	- {name: gpus, type: integer, default: 1, min: 0, max: 8}
//	- {name: queue}
//	checks:
//	- check: gpus > 0 || queue == null
//	  message: a queue is only for jobs with GPUs
//	object:
//	  apiVersion: v1
//	  kind: Pod
//	  metadata:
//	    generateName: one-
//	    labels: {kueue.x-k8s.io/queue-name: "${queue}"}
//	  spec:
//	    containers:
//	    - {name: main, image: "${image}", resources: {limits: {nvidia.com/gpu: "${gpus}"}}}
//
// A text that is only an expression keeps the type of its value; null removes the field or
// item. An expression in a longer text is converted to text. $${ is the text ${. A mapping
// with the field $if is there if that expression is true. The names of fields may have
// expressions, too.
//
// Beside CEL's own functions there are when(condition, value), which is null if the
// condition is false; unlessEmpty(value), which is null for an empty text, list or map;
// entries(map), a list of mappings with name and value; join(list, separator); shell(list),
// a command as a line for a shell; lower(text).
//
// # Ownership
//
// Templates never change, and any number of goroutines may use them. A Set belongs to one
// goroutine. Values that callers pass are only read.
//
// # Guarantees
//
// Values are never parsed as YAML or as expressions: each is a value of the object or a part
// of a text. The same values make the same object. Parse and Render report all mistakes at
// once, with lines, and with the parameter if one alone is wrong.
//
// # Limits
//
// A file has at most 1 MiB, 100 parameters, 100 checks and 5,000 values nested 60 deep. An
// expression has 4 KiB and costs at most 100,000 units of CEL, which is some ms; all of a
// template cost 2,000,000. A text has 64 KiB, a list or map 1,000 items, all values 512 KiB,
// and the object 1.5 MiB. Values have no control characters but tabs and ends of lines.
// CEL reads a map that an expression writes out, as in {"a": 1}, in random order: list
// functions over it do not always make the same object. Maps of parameters have an order.
//
// # Errors
//
// Load and Parse return all mistakes, joined. Values and Render return a [ValuesError].
package template
