// Package portal measures the portal of Vedette over a large history: the times of
// answers, and the cost of the streams of many browsers. It is separate from package
// contest, because its many dependencies would increase the memory of other contestants.
//
// The portal runs in a process of its own: this program, started again with the argument
// "serve". The measuring process also has the recorder: a recordworld.Writer.
//
// Filling a database with 1,000,000 jobs takes minutes. VEDETTE_BENCH_SQLITE,
// VEDETTE_BENCH_POSTGRES and VEDETTE_BENCH_MARIADB may have the URL of an existing database. It
// is filled if it is empty, and it is kept.
package portal
