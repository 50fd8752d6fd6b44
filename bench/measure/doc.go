// Package measure measures the resource usage of this process: wall time, CPU, memory,
// allocations, and the garbage collector's share of the CPU.
package measure
