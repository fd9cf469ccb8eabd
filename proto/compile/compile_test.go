package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestTextsAndDescriptorsAgree compiles each frozen text and compares the result with
// the descriptor beside it.
func TestTextsAndDescriptorsAgree(t *testing.T) {
	t.Parallel()
	texts, err := filepath.Glob(filepath.Join(released, "*.proto"))
	if err != nil || len(texts) == 0 {
		t.Fatalf("%d frozen texts (%v)", len(texts), err)
	}
	for _, text := range texts {
		fresh, err := descriptor(t.Context(), released, filepath.Base(text))
		if err != nil {
			t.Fatal(err)
		}
		frozen, err := os.ReadFile(strings.TrimSuffix(text, ".proto") + ".binpb")
		if err != nil {
			t.Fatal(err)
		}
		var want, got descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(fresh, &want); err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(frozen, &got); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(&want, &got) {
			t.Errorf("the descriptor of %s is not that of its text: freeze it again", filepath.Base(text))
		}
	}
	descriptors, err := filepath.Glob(filepath.Join(released, "*.binpb"))
	if err != nil || len(descriptors) != len(texts) {
		t.Errorf("%d descriptors for %d texts (%v)", len(descriptors), len(texts), err)
	}
}

// TestGeneratedIsCommitted generates the contract's Go into an empty folder and compares
// it with the committed files.
func TestGeneratedIsCommitted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Dir(contract)
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, contract))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, contract), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := generate(t.Context(), dir, contract); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"connector.pb.go", "connector_grpc.pb.go"} {
		want, err := os.ReadFile(filepath.Join(dir, folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(got) {
			t.Errorf("%s is not generated from the committed contract: make proto", name)
		}
	}
}
