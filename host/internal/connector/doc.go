// Package connector finds, verifies and supervises connector programs.
//
// A Registry finds the installed connectors by their manifests, without running a
// program. A Supervisor runs them:
//
//	Absent ──lease──▶ Starting ──▶ Ready ──idle, close──▶ Draining ──▶ Stopped
//	                     │           │                                   │
//	                     └──failed───┴──crashed──▶ Backoff ──lease───────┴─▶ Starting
//	                                                  └── 5 in 5 minutes ──▶ Disabled ──pause──▶ Stopped
//
// One goroutine per process owns these states; others send it functions to run. A
// caller acquires a Lease for one call: the first caller starts the process and
// opens the connection, and all others wait for that start and that open.
//
// Faults of a connector against its host, and how each is prevented:
//   - read the host's standard input or environment: a private pipe, an
//     allow-list ([Environment]);
//   - outlive the host: it watches the pipe, sits in its own process group, and
//     on Linux the kernel kills it with the host; what it started and what left
//     the group is found by its environment (package offspring);
//   - take the machine's memory: the system limits its process (memory.go);
//   - be taken from everybody by one statement: the end of its process is charged
//     to the calls that ran (blame.go);
//   - write to the host's standard output: whatever it prints becomes one
//     warning;
//   - take the host down: its log lines are parsed here and capped, its messages
//     are capped, its crash ends only its own calls;
//   - be somebody else at the other end of its socket: the folder is this user's
//     alone, and the kernel is asked which process listens (package peer);
//   - be another program than the one verified: its bytes are hashed before each
//     start, and on Linux the hashed file itself is executed, not its path.
package connector
