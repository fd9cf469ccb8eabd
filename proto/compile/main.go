// Command compile compiles the connector contract without protoc. It is a module of its
// own, so that its compiler does not enter the module graph of connector authors.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The program runs in its own folder (GOWORK=off go -C proto/compile run .).
const (
	root     = "../.."
	contract = "proto/connector/v1/connector.proto"
	released = "../released"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "generate":
		return generate(ctx, root, contract)
	case len(args) == 2 && args[0] == "freeze":
		return freeze(ctx, args[1])
	}
	return errors.New(`usage: "generate" writes the contract's Go, "freeze 1.1" writes a minor version to proto/released`)
}

// freeze copies the contract as a minor version and compiles the copy. Until that minor
// version is released it may run again; afterwards never.
func freeze(ctx context.Context, minor string) error {
	text, err := os.ReadFile(filepath.Join(root, contract))
	if err != nil {
		return err
	}
	name := minor + ".proto"
	if err := os.WriteFile(filepath.Join(released, name), text, 0o644); err != nil {
		return err
	}
	raw, err := descriptor(ctx, released, name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(released, minor+".binpb"), raw, 0o644)
}
