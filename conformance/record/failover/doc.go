// Package failover tests recorders on databases of several servers that are killed: PostgreSQL with a
// standby server, and Galera with `-galera=3`.
package failover
