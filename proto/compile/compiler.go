package main

import (
	"context"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// compile compiles the file at path below folder; well-known imports are built in.
func compile(ctx context.Context, folder, path string, info protocompile.SourceInfoMode) (protoreflect.FileDescriptor, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{folder}}),
		SourceInfoMode: info,
	}
	files, err := compiler.Compile(ctx, path)
	if err != nil {
		return nil, err
	}
	return files[0], nil
}

// descriptor returns a serialized FileDescriptorSet of the file alone, without comments
// and positions: the form that package released reads.
func descriptor(ctx context.Context, folder, path string) ([]byte, error) {
	file, err := compile(ctx, folder, path, protocompile.SourceInfoNone)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(file)}}
	return proto.MarshalOptions{Deterministic: true}.Marshal(set)
}
