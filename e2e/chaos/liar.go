//go:build unix

package main

import (
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// lie breaks the contract in the stream of a statement whose text names how.
// What the SDK would never send is made from what it does send.
func lie(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	s := &lyingStream{ServerStream: stream}
	err := handler(server, s)
	if lie := failure(s.sql); lie != nil {
		return lie
	}
	return err
}

type lyingStream struct {
	grpc.ServerStream
	sql  string
	sent bool
}

func (s *lyingStream) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if request, ok := m.(proto.Message); ok && err == nil {
		if field := request.ProtoReflect().Descriptor().Fields().ByName("sql"); field != nil {
			s.sql = request.ProtoReflect().Get(field).String()
		}
	}
	return err
}

func (s *lyingStream) SendMsg(m any) error {
	event, name := eventOf(m)
	if event == nil {
		return s.ServerStream.SendMsg(m)
	}
	if !s.sent {
		s.sent = true
		if err := inject(s.ServerStream, m.(proto.Message), s.sql); err != nil {
			return err
		}
	}
	switch s.sql + "/" + string(name) {
	case "no schema/schema", "no summary/summary":
		return nil
	case "lie about all rows/summary", "lie about a batch/batch":
		rows := event.Descriptor().Fields().ByName("rows")
		if rows.Kind() == protoreflect.Uint32Kind {
			event.Set(rows, protoreflect.ValueOfUint32(uint32(event.Get(rows).Uint())+7))
		} else {
			event.Set(rows, protoreflect.ValueOfInt64(event.Get(rows).Int()+7))
		}
	case "oversize/batch":
		column := event.Get(event.Descriptor().Fields().ByName("columns")).List().Get(0).Message()
		column.Set(column.Descriptor().Fields().ByName("data"), protoreflect.ValueOfBytes(make([]byte, 17<<20)))
	case "two summaries/summary":
		if err := s.ServerStream.SendMsg(m); err != nil {
			return err
		}
	}
	return s.ServerStream.SendMsg(m)
}

// eventOf returns the event inside a stream's message and its name.
func eventOf(m any) (protoreflect.Message, protoreflect.Name) {
	message, ok := m.(proto.Message)
	if !ok {
		return nil, ""
	}
	event := message.ProtoReflect().Descriptor().Oneofs().ByName("event")
	if event == nil {
		return nil, ""
	}
	field := message.ProtoReflect().WhichOneof(event)
	if field == nil {
		return nil, ""
	}
	return message.ProtoReflect().Mutable(field).Message(), field.Name()
}
