//go:build unix

package main

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"
)

// What the SDK would never send, by the first word of the statement; the rest is
// the text that it is made of. A number of mebibytes stands for so long a text.

// beside are events that are sent before the first one of a stream, as bytes.
var beside = map[string]func(event protoreflect.MessageDescriptor, rest string) (raw []byte, times int){
	"notices": func(e protoreflect.MessageDescriptor, rest string) ([]byte, int) { return text(e, "notice", rest), 8 },
	"progresses": func(e protoreflect.MessageDescriptor, rest string) ([]byte, int) {
		return text(e, "progress", rest), 20_000
	},
	"beats": func(e protoreflect.MessageDescriptor, rest string) ([]byte, int) {
		n, _ := strconv.Atoi(rest) // "" = without end
		return inside(nil, e.Fields().ByName("heartbeat")), cmp.Or(n, math.MaxInt)
	},
	"wide": func(e protoreflect.MessageDescriptor, _ string) ([]byte, int) {
		schema := e.Fields().ByName("schema")
		empty := inside(nil, schema.Message().Fields().ByName("columns"))
		return inside(bytes.Repeat(empty, 5_000_000), schema), 1
	},
	"deep": func(e protoreflect.MessageDescriptor, _ string) ([]byte, int) {
		schema := e.Fields().ByName("schema")
		columns := schema.Message().Fields().ByName("columns")
		var column []byte
		for range 9_000 {
			column = inside(column, columns.Message().Fields().ByName("fields"))
		}
		return inside(inside(column, columns), schema), 1
	},
}

// inside is a field with content, as bytes.
func inside(content []byte, field protoreflect.FieldDescriptor) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field.Number(), protowire.BytesType), content)
}

// text is an event with a message for people.
func text(event protoreflect.MessageDescriptor, name protoreflect.Name, message string) []byte {
	field := event.Fields().ByName(name)
	return inside(inside([]byte(message), field.Message().Fields().ByName("message")), field)
}

// inject sends the events of a statement.
func inject(stream grpc.ServerStream, like proto.Message, sql string) error {
	word, rest, _ := strings.Cut(strings.TrimPrefix(sql, "SELECT "), " ")
	of, ok := beside[word]
	if !ok {
		return nil
	}
	event := like.ProtoReflect().New()
	raw, times := of(event.Descriptor(), grown(rest))
	event.SetUnknown(raw)
	for range times {
		if err := stream.SendMsg(event.Interface()); err != nil {
			return err
		}
	}
	return nil
}

// grown is a text with words for what no statement may hold replaced by it.
func grown(text string) string {
	return strings.NewReplacer("MiB", strings.Repeat("x", 1<<20), "ESC", "\x1b", "RLO", "\u202e").Replace(text)
}

// failure is the error of a statement that nobody has scrubbed or bounded; nil = none.
func failure(sql string) error {
	word, rest, _ := strings.Cut(strings.TrimPrefix(sql, "SELECT "), " ")
	switch word {
	case "status":
		return status.Error(codes.Internal, grown(rest))
	case "detail":
		info, err := protoregistry.GlobalTypes.FindMessageByName("loam.connector.v1.ErrorInfo")
		if err != nil {
			return err
		}
		detail := info.New()
		for _, name := range []string{"message", "hint", "op", "code", "source"} {
			field := detail.Descriptor().Fields().ByName(protoreflect.Name(name))
			detail.Set(field, protoreflect.ValueOfString(grown(rest)))
		}
		s, err := status.New(codes.Internal, "x").WithDetails(protoadapt.MessageV1Of(detail.Interface()))
		if err != nil {
			return err
		}
		return s.Err()
	}
	return nil
}

// brokers floods a host that opens go-plugin's broker, for which go-plugin starts a
// goroutine per message.
func brokers(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if !strings.HasPrefix(info.FullMethod, "/plugin.GRPCBroker/") {
		return handler(server, stream)
	}
	flooded.Store(true)
	for id := range uint64(50_000) {
		info := (&emptypb.Empty{}).ProtoReflect()
		info.SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), id+1))
		if err := stream.SendMsg(info.Interface()); err != nil {
			return err
		}
	}
	return handler(server, stream)
}

// flooded reports that a host has opened the broker.
var flooded atomic.Bool
