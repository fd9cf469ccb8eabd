package wire

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// What a message may hold. An empty column has two bytes on the wire and hundreds in
// memory: without these limits, a message of 16 MiB fills gigabytes.
const (
	maxElements = 200_000 // messages, entries of maps and texts of lists
	maxNesting  = 100
)

// frugal is the codec of one call. It refuses a message that holds too much before it is
// decoded.
type frugal struct {
	encoding.CodecV2
	refused error // of the last message
}

// overfull is the error of a message that holds too much, or is malformed.
type overfull struct{ what string }

func (o *overfull) Error() string { return o.what }

func newFrugal() *frugal { return &frugal{CodecV2: encoding.GetCodecV2(grpcproto.Name)} }

// explain returns the reason of the codec for an error of gRPC, which knows only its text.
func (f *frugal) explain(err error) error {
	if err != nil && f.refused != nil {
		return f.refused
	}
	return err
}

func (f *frugal) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return f.CodecV2.Unmarshal(data, v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	left := maxElements
	if f.refused = measure(buffer.ReadOnlyData(), m.ProtoReflect().Descriptor(), &left, maxNesting); f.refused != nil {
		return f.refused
	}
	if len(data) == 1 { // nothing was copied
		return f.CodecV2.Unmarshal(data, v)
	}
	return f.CodecV2.Unmarshal(mem.BufferSlice{buffer}, v)
}

// measure counts the elements of an encoded message down from left.
func measure(message []byte, is protoreflect.MessageDescriptor, left *int, depth int) error {
	fields := is.Fields()
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return &overfull{"a message is malformed: " + protowire.ParseError(n).Error()}
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return &overfull{"a message is malformed: " + protowire.ParseError(n).Error()}
		}
		field := fields.ByNumber(number)
		if kind == protowire.BytesType && field != nil && (field.Message() != nil || field.IsList() && !field.IsPacked()) {
			if *left--; *left < 0 {
				return &overfull{fmt.Sprintf("a message %s holds more than %d elements", is.Name(), maxElements)}
			}
			if inner := field.Message(); inner != nil {
				if depth == 0 {
					return &overfull{fmt.Sprintf("a message %s is nested more than %d levels deep", is.Name(), maxNesting)}
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
