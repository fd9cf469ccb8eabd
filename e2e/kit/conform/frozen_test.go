package conform_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/loam-data/loam/proto/released"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// minorOf returns the minor of a frozen contract, "1.0.proto".
func minorOf(frozen protoreflect.FileDescriptor) int {
	minor, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(frozen.Path(), "1."), ".proto"))
	if err != nil {
		panic(err)
	}
	return minor
}

// strip takes from a message what a frozen contract does not have: what a program of
// that minor never sends, and never sees.
func strip(frozen protoreflect.FileDescriptor, m any) error {
	message := m.(proto.Message)
	shape := frozen.Messages().ByName(message.ProtoReflect().Descriptor().Name())
	if shape == nil {
		return nil // health and reflection are not the contract's
	}
	raw, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	known := dynamicpb.NewMessage(shape)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(raw, known); err != nil {
		return err
	}
	if minor := shape.Fields().ByName("protocol_minor"); minor != nil {
		known.Set(minor, protoreflect.ValueOfUint32(uint32(minorOf(frozen))))
	}
	if raw, err = proto.Marshal(known); err != nil {
		return err
	}
	proto.Reset(message)
	return proto.Unmarshal(raw, message)
}

// old is a stream of which one end speaks a frozen minor.
type old struct {
	grpc.ServerStream
	frozen protoreflect.FileDescriptor
}

func (o old) SendMsg(m any) error {
	message := proto.Clone(m.(proto.Message)) // the sender uses its own again
	if err := strip(o.frozen, message); err != nil {
		return err
	}
	return o.ServerStream.SendMsg(message)
}

func (o old) RecvMsg(m any) error {
	if err := o.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return strip(o.frozen, m)
}

// Whichever end is of an earlier minor, what passes between the two is what that minor
// has: a connector of today satisfies its host then, and a host of today its connector.
func TestEveryFrozenMinorPasses(t *testing.T) {
	versions, err := released.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if newest := fmt.Sprintf("1.%d", sdk.ContractMinor); versions[newest] == nil {
		t.Errorf("sdk.ContractMinor is %s, which is not frozen", newest)
	}
	for version, frozen := range versions {
		if minorOf(frozen) == sdk.ContractMinor {
			continue // nothing to take out
		}
		t.Run(version, func(t *testing.T) {
			later := dynamicpb.NewMessage(frozen.Messages().ByName("Summary"))
			later.SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 5000, protowire.VarintType), 1))
			if err := strip(frozen, later); err != nil || len(later.GetUnknown()) > 0 {
				t.Fatalf("a field of a later minor passes: %v, %v", later, err)
			}
			target := newToy(none).target(t)
			target.Modes, target.Pace = []conform.Mode{conform.Wire}, quickPace
			target.ServerOptions = []grpc.ServerOption{
				grpc.StreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
					return handler(srv, old{stream, frozen})
				}),
				grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
					if err := strip(frozen, req); err != nil {
						return nil, err
					}
					answer, err := handler(ctx, req)
					if err != nil {
						return nil, err
					}
					return answer, strip(frozen, answer)
				}),
			}
			if diff := cmp.Diff([]string(nil), failures(t, target)); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s", diff)
			}
		})
	}
}
