package submit

// CopyOf is the copy of a job that a retry submits.
var CopyOf = copyOf
