package recordtest

// RunWithout is Run without the tests of some groups or names.
var RunWithout = run
