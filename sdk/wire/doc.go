// Package wire carries the types of package sdk over gRPC: the codec in both
// directions, the server of a connector, the client of the host, the handshake
// between them and the manifest beside a connector's binary.
//
// It is the only importer of the generated code in proto/connector/v1. The
// contract documents the messages; this package handles the faults of the
// transport:
//
//   - a proto3 string must be valid UTF-8, or the whole message fails, so text
//     that came from an engine is made valid first; cells travel as bytes
//   - a batch is not copied: the protobuf message and the sdk.Batch share slices
//   - a status stays below 4 KiB, because gRPC implementations in C refuse
//     larger trailers
//   - a stream that ends without its closing event has failed
//   - a stream without any event for 30 s has hung; a heartbeat every 5 s
//     distinguishes it from a slow warehouse
//   - the connector enforces the time limit of a call, which is sent as metadata;
//     gRPC's deadline is 5 s later, to distinguish a hanging connector from a slow
//     statement
package wire

import "time"

// ProtocolVersion is the major version of the contract that this package
// speaks. The minor version is sdk.ContractMinor.
const ProtocolVersion = 1

// MaxMessageBytes bounds every message, both ways.
const MaxMessageBytes = 16 << 20

const (
	heartbeatEvery = 5 * time.Second
	stallAfter     = 30 * time.Second
	progressEvery  = 100 * time.Millisecond

	// maxStreams bounds the calls at once in one connector process;
	// sessionStreams those on one connection whose connector names no number.
	maxStreams     = 32
	sessionStreams = 8
)
