package wire

import (
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "github.com/loam-data/loam/proto/connector/v1"
)

// A message with as many elements, or as many levels, as one may have is decoded, and one
// more is refused; so is a malformed one. Whether it came in one buffer or in several makes
// no difference.
func TestFrugal(t *testing.T) {
	t.Parallel()
	columns := func(n int) proto.Message {
		table := &pb.Table{}
		for range n {
			table.Columns = append(table.Columns, &pb.Column{})
		}
		return table
	}
	nested := func(n int) proto.Message {
		var inner *pb.Column
		for range n {
			outer := &pb.Column{}
			if inner != nil {
				outer.Fields = []*pb.Column{inner}
			}
			inner = outer
		}
		return &pb.Table{Columns: []*pb.Column{inner}}
	}
	for _, tt := range []struct {
		name    string
		message proto.Message
		refused string
	}{
		{"as many columns as may be", columns(maxElements), ""},
		{"one more", columns(maxElements + 1), "a message Table holds more than 200000 elements"},
		{"as many levels as may be", nested(maxNesting), ""},
		{"one level more", nested(maxNesting + 1), "a message Column is nested more than 100 levels deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, err := proto.Marshal(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			half := len(data) / 2
			for _, parts := range []mem.BufferSlice{{mem.SliceBuffer(data)}, {mem.SliceBuffer(data[:half]), mem.SliceBuffer(data[half:])}} {
				var got pb.Table
				codec := newFrugal()
				err := codec.explain(codec.Unmarshal(parts, &got))
				if tt.refused == "" && (err != nil || !proto.Equal(&got, tt.message)) || tt.refused != "" && (err == nil || err.Error() != tt.refused) {
					t.Errorf("%d parts: %v", len(parts), err)
				}
			}
		})
	}
	codec := newFrugal()
	if err := codec.explain(codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer("\x0a\xff")}, &pb.Table{})); err == nil || !strings.Contains(err.Error(), "malformed") {
		t.Errorf("a length beyond the end: %v", err)
	}
}
