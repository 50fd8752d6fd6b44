// Package measure says what this process has used: wall time, CPU, memory,
// allocations, and the garbage collector's part of the CPU.
package measure
