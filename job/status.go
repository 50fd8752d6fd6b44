package job

import "time"

// ReadStatus returns the status of an object: a struct of its type, such as *batchv1.Job, an
// *unstructured.Unstructured, or its fields as in JSON in a Object. apiVersion and
// kind select the rule of its type; structs of k8s.io/api need neither, if a rule for the
// type exists. ReadStatus reads no objects and arrays within spec, except the scalar members of runPolicy
// and the names and restart policies of a pod's containers and init containers, so a caller
// that decodes an object only for ReadStatus may leave them out. A map costs the least: a struct is
// converted to one.
//
// ReadStatus does not change the object. The status of a value that is not an object is the zero
// Status.
func ReadStatus(object any) Status {
	fields := Object(fieldsOf(object))
	if fields == nil {
		return Status{}
	}
	return fields.kind().ReadStatus(fields)
}

// ReadStatus returns the status of an object of the kind.
func (k *Kind) ReadStatus(o Object) Status {
	rule := k.Status
	if rule == nil {
		rule = StatusOfPhase
	}
	s := k.cancelled(o, rule(o))
	if begun := s.State != "" && s.State != Submitted || s.State == "" && s.Raw != ""; !begun && k.Held(o) {
		s.State = onHold(o) // its operator has not acted yet, and will not start it
	}
	if o.Text("metadata", "deletionTimestamp") != "" && !s.State.Final() {
		return Status{State: Aborted, Raw: "Terminating", Reason: s.Reason, Message: s.Message, At: o.deletionRequested()}
	}
	return s
}

// StateOf returns the state of an object, and the word of its type. informer.ChangedBy
// takes it as the filter of the updates that package record keeps as transitions.
func StateOf[T any](object *T) Status {
	s := ReadStatus(object)
	return Status{State: s.State, Raw: s.Raw}
}

// StatusOf returns the status of an object without its time, for informer.ChangedBy: a new
// time alone is no change.
func StatusOf[T any](object *T) Status {
	s := ReadStatus(object)
	s.At = time.Time{}
	return s
}
