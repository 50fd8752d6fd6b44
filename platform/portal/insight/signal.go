package insight

// signals are the signals that end processes, by number.
var signals = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
	10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}

// signalOf returns the signal of an exit code, such as SIGKILL for 137; "" if the code is
// not a signal.
func signalOf(code *int) string {
	if code == nil {
		return ""
	}
	return signals[*code-128]
}
