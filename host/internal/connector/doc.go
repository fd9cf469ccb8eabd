// Package connector finds, verifies and supervises connector programs.
//
// A [Registry] knows which connectors are installed, from their manifests
// alone: no program is run to find out what it is. A [Supervisor] runs them:
//
//	Absent ──lease──▶ Starting ──▶ Ready ──idle, close──▶ Draining ──▶ Stopped
//	                     │           │                                   │
//	                     └──failed───┴──crashed──▶ Backoff ──lease───────┴─▶ Starting
//	                                                  └── 5 in 5 minutes ──▶ Disabled ──pause──▶ Stopped
//
// One goroutine per process owns these states; everybody else sends it a
// function to run. A caller takes a [Lease] for one call: the process is
// started and the connection opened by the first who asks, and all others wait
// for that one start and that one open.
//
// What a connector may not do to its host, and what prevents it:
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
