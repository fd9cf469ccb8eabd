package wire

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/loam-data/loam/sdk"
)

// What a message may hold. An empty column has two bytes on the wire and hundreds in
// memory: without these limits, a message of 16 MiB fills gigabytes.
const (
	maxElements = 200_000 // messages, entries of maps and texts of lists
	maxNesting  = 100
)

// frugal is a codec that refuses a message before it is decoded if it holds too much.
type frugal struct{ encoding.CodecV2 }

func (f frugal) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return f.CodecV2.Unmarshal(data, v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	left := maxElements
	if err := measure(buffer.ReadOnlyData(), m.ProtoReflect().Descriptor(), &left, maxNesting); err != nil {
		return err
	}
	return f.CodecV2.Unmarshal(mem.BufferSlice{buffer}, v)
}

// measure counts the elements of an encoded message down from left.
func measure(message []byte, is protoreflect.MessageDescriptor, left *int, depth int) error {
	fields := is.Fields()
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return protowire.ParseError(n)
		}
		field := fields.ByNumber(number)
		if kind == protowire.BytesType && field != nil && (field.Message() != nil || field.IsList() && !field.IsPacked()) {
			if *left--; *left < 0 {
				return sdk.Errorf(sdk.KindLimit, sdk.SourceConnector, "a message %s holds more than %d elements", is.Name(), maxElements)
			}
			if inner := field.Message(); inner != nil {
				if depth == 0 {
					return sdk.Errorf(sdk.KindLimit, sdk.SourceConnector, "a message %s is nested more than %d levels deep", is.Name(), maxNesting)
				}
				content, _ := protowire.ConsumeBytes(message)
				if err := measure(content, inner, left, depth-1); err != nil {
					return err
				}
			}
		}
		message = message[n:]
	}
	return nil
}
