// Package portal measures the portal of Vedette over a large history: how long it takes to
// answer, and what the streams of many browsers cost. It is not a part of package contest,
// because it links so much that the memory of other contestants would show it.
//
// The portal is in a process of its own, which is this program started again with the word
// "serve". The process that measures also has the recorder: a recordworld.Writer.
//
// Filling a database with 1,000,000 jobs takes minutes. VEDETTE_BENCH_SQLITE,
// VEDETTE_BENCH_POSTGRES and VEDETTE_BENCH_MARIADB have the URL of a database that is there. It
// is filled if it is empty, and it is kept.
package portal
