// Package patience waits in tests for conditions. It has the only time limit of tests, so a
// slow machine cannot make one test impatient and another patient, and a failure shows the
// state of the awaited thing instead of a bare timeout.
//
// The limit is a minute: from the call, or with [Work] from the last progress.
// VEDETTE_PATIENCE changes it, for example to 5m for a debugger.
// In the fake time of testing/synctest, the limit is in fake time too.
package patience
