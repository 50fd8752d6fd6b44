package submit

// CopyOf is copyOf.
var CopyOf = copyOf
