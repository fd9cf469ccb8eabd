package released

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	connectorv1 "github.com/loam-data/loam/proto/connector/v1"
)

// TestNothingReleasedIsBroken is the check that the contract's promise rests on.
func TestNothingReleasedIsBroken(t *testing.T) {
	t.Parallel()
	versions, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	if len(versions) == 0 {
		t.Fatal("no version is frozen")
	}
	for name, frozen := range versions {
		if !strings.HasPrefix(name, "1.") {
			t.Errorf("%s is no minor version of contract 1", name)
		}
		for _, broken := range Breaking(frozen, connectorv1.File_proto_connector_v1_connector_proto) {
			t.Errorf("against %s: %s", name, broken)
		}
	}
}

func message(f *descriptorpb.FileDescriptorProto, name string) *descriptorpb.DescriptorProto {
	for _, m := range f.MessageType {
		if m.GetName() == name {
			return m
		}
	}
	panic("no message " + name)
}

func field(f *descriptorpb.FileDescriptorProto, in, name string) *descriptorpb.FieldDescriptorProto {
	for _, field := range message(f, in).Field {
		if field.GetName() == name {
			return field
		}
	}
	panic("no field " + name)
}

func enum(f *descriptorpb.FileDescriptorProto, name string) *descriptorpb.EnumDescriptorProto {
	for _, e := range f.EnumType {
		if e.GetName() == name {
			return e
		}
	}
	panic("no enum " + name)
}

func TestBreakingFindsEveryBreak(t *testing.T) {
	t.Parallel()
	current := connectorv1.File_proto_connector_v1_connector_proto
	for _, tc := range []struct {
		name   string
		mutate func(*descriptorpb.FileDescriptorProto)
		want   string // "" = compatible
	}{
		{"nothing", func(*descriptorpb.FileDescriptorProto) {}, ""},
		{"field added", func(f *descriptorpb.FileDescriptorProto) {
			added := proto.CloneOf(field(f, "Started", "warehouse_query_id"))
			added.Name, added.JsonName, added.Number = new("later"), new("later"), new(int32(99))
			message(f, "Started").Field = append(message(f, "Started").Field, added)
		}, ""},
		{"enum value added", func(f *descriptorpb.FileDescriptorProto) {
			enum(f, "Type").Value = append(enum(f, "Type").Value, &descriptorpb.EnumValueDescriptorProto{Name: new("TYPE_LATER"), Number: new(int32(99))})
		}, ""},
		{"rpc added", func(f *descriptorpb.FileDescriptorProto) {
			added := proto.CloneOf(f.Service[0].Method[0])
			added.Name = new("Later")
			f.Service[0].Method = append(f.Service[0].Method, added)
		}, ""},
		{
			"field removed", func(f *descriptorpb.FileDescriptorProto) { message(f, "Started").Field = nil },
			"field 1 of loam.connector.v1.Started (warehouse_query_id) is gone",
		},
		{
			"field renumbered", func(f *descriptorpb.FileDescriptorProto) {
				field(f, "Started", "warehouse_query_id").Number = new(int32(7))
			},
			"field 1 of loam.connector.v1.Started (warehouse_query_id) is gone",
		},
		{
			"field renamed", func(f *descriptorpb.FileDescriptorProto) { field(f, "Started", "warehouse_query_id").Name = new("id") },
			"is called id instead of warehouse_query_id",
		},
		{"field retyped", func(f *descriptorpb.FileDescriptorProto) {
			field(f, "Started", "warehouse_query_id").Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
		}, "is bytes instead of string"},
		{"wire type of a vector", func(f *descriptorpb.FileDescriptorProto) {
			field(f, "Vector", "i64").Type = descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum()
		}, "is repeated packed int64 instead of repeated packed sfixed64"},
		{"unpacked", func(f *descriptorpb.FileDescriptorProto) {
			field(f, "Vector", "i64").Options = &descriptorpb.FieldOptions{Packed: new(false)}
		}, "is repeated sfixed64 instead of repeated packed sfixed64"},
		{"made repeated", func(f *descriptorpb.FileDescriptorProto) {
			field(f, "Started", "warehouse_query_id").Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}, "is repeated string instead of string"},
		{"other message", func(f *descriptorpb.FileDescriptorProto) {
			field(f, "Table", "ref").TypeName = new(".loam.connector.v1.Key")
		}, "is loam.connector.v1.Key instead of loam.connector.v1.TableRef"},
		{
			"out of its oneof", func(f *descriptorpb.FileDescriptorProto) { field(f, "ResultEvent", "heartbeat").OneofIndex = nil },
			"instead of oneof event",
		},
		{"map value", func(f *descriptorpb.FileDescriptorProto) {
			for _, nested := range message(f, "Config").NestedType {
				nested.Field[1].Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
			}
		}, "is map<string, string> instead of map<string, bytes>"},
		{"message removed", func(f *descriptorpb.FileDescriptorProto) {
			f.MessageType = slices.DeleteFunc(f.MessageType, func(m *descriptorpb.DescriptorProto) bool { return m.GetName() == "ErrorInfo" })
			message(f, "TestStep").Field = message(f, "TestStep").Field[:2]
		}, "message loam.connector.v1.ErrorInfo is gone"},
		{"enum value removed", func(f *descriptorpb.FileDescriptorProto) {
			enum(f, "Type").Value = enum(f, "Type").Value[:15]
		}, "value TYPE_NESTED_JSON = 15 of loam.connector.v1.Type is gone"},
		{
			"enum value renamed", func(f *descriptorpb.FileDescriptorProto) { enum(f, "Type").Value[1].Name = new("TYPE_BOOLEAN") },
			"is called TYPE_BOOLEAN instead of TYPE_BOOL",
		},
		{"nested enum value removed", func(f *descriptorpb.FileDescriptorProto) {
			kinds := message(f, "Key").EnumType[0]
			kinds.Value = kinds.Value[:len(kinds.Value)-1]
		}, "value KIND_CLUSTER = 5 of loam.connector.v1.Key.Kind is gone"},
		{"rpc removed", func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method = f.Service[0].Method[1:] }, "rpc Describe is gone"},
		{"rpc streams", func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].ServerStreaming = new(true) }, "rpc Describe streams otherwise"},
		{"rpc takes another message", func(f *descriptorpb.FileDescriptorProto) {
			f.Service[0].Method[0].InputType = new(".loam.connector.v1.PingRequest")
		}, "rpc Describe takes PingRequest instead of DescribeRequest"},
		{"rpc returns another message", func(f *descriptorpb.FileDescriptorProto) {
			f.Service[0].Method[0].OutputType = new(".loam.connector.v1.PingResponse")
		}, "rpc Describe returns PingResponse instead of DescribeResponse"},
		{"service removed", func(f *descriptorpb.FileDescriptorProto) { f.Service = nil }, "service Connector is gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found := strings.Join(Breaking(current, mutated(t, current, tc.mutate)), "\n")
			if (tc.want == "") != (found == "") || !strings.Contains(found, tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
	t.Run("reserved number used", func(t *testing.T) {
		t.Parallel()
		reserving := mutated(t, current, func(f *descriptorpb.FileDescriptorProto) {
			m := message(f, "Started")
			m.Field, m.ReservedRange = nil, []*descriptorpb.DescriptorProto_ReservedRange{{Start: new(int32(1)), End: new(int32(2))}}
		})
		if found := strings.Join(Breaking(reserving, current), "\n"); !strings.Contains(found, "uses what was reserved") {
			t.Errorf("found %q", found)
		}
	})
}

func mutated(t *testing.T, file protoreflect.FileDescriptor, mutate func(*descriptorpb.FileDescriptorProto)) protoreflect.FileDescriptor {
	t.Helper()
	f := protodesc.ToFileDescriptorProto(file)
	mutate(f)
	changed, err := protodesc.NewFile(f, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestParseRefusesWhatIsNoContract(t *testing.T) {
	t.Parallel()
	if _, err := parse(bytes.Repeat([]byte{0xff}, 10)); err == nil {
		t.Error("garbage was read")
	}
	if _, err := parse(nil); err == nil {
		t.Error("an empty set was read")
	}
}
