// Package likely predicts when a job starts, and tests such predictions on the past.
//
// # Data flow
//
//	waits of past jobs, an instant, the time waited -> Predict -> Forecast
//	waits of past jobs -> Backtest: Predict at several moments of each wait -> Verdict
//
// # Ownership
//
// Everything is a pure function of its arguments, and changes none of them.
//
// # Guarantees
//
// A prediction depends only on the data of its instant. Jobs that still wait count: they show that
// waits get longer. A verdict holds only if at least 75 percent of the predictions about at least
// 30 jobs were right, and not much fewer of those about the last ones.
//
// # Limits
//
// A prediction uses the last 150 waits, and needs at least 10 longer ones that ended with a
// start. A backtest tests the last 300 jobs. The order of the line is not used: if it matters
// more than the time waited, no verdict of the queue holds, or the range is wide.
//
// # Errors
//
// There are none: false means that no prediction is possible.
package likely
