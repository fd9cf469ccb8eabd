// Package released holds the contract as it was frozen at each minor version,
// and finds what breaks it. A host of any minor version must understand a
// connector of any other one, so nothing that a frozen copy has may go or
// change; everything may be added.
package released

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/structpb" // imported by the contract
)

// The copies, each with its text for people and its descriptor for the check.
//
//go:embed *.binpb
var frozen embed.FS

// Versions returns the frozen contracts by their minor version ("1.0").
func Versions() (map[string]protoreflect.FileDescriptor, error) {
	names, err := fs.Glob(frozen, "*.binpb")
	if err != nil {
		return nil, err
	}
	versions := make(map[string]protoreflect.FileDescriptor, len(names))
	for _, name := range names {
		raw, err := frozen.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		versions[strings.TrimSuffix(name, ".binpb")] = file
	}
	return versions, nil
}

// parse reads a FileDescriptorSet of one file, as proto/compile writes it.
func parse(raw []byte) (protoreflect.FileDescriptor, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil {
		return nil, err
	}
	if len(set.File) != 1 {
		return nil, fmt.Errorf("it has %d files, not 1", len(set.File))
	}
	return protodesc.NewFile(set.File[0], protoregistry.GlobalFiles)
}
