// Package form writes the blocks of a change into wiki pages and overlays of the semantic
// layer, and leaves every other byte as it is. The package is pure.
package form

import (
	"slices"

	"github.com/loam-data/loam/host/internal/change"
)

// Form is how files of one kind hold blocks.
type Form = change.Form

// Effective returns the blocks that change something of a file, in order. A change is
// stored with these alone: what was there before it must not go when it is reverted.
// Errors: those of Form.Apply.
func Effective(f Form, current []byte, blocks []change.Block) ([]change.Block, error) {
	if current == nil {
		return blocks, nil
	}
	var all []change.Block
	for _, b := range blocks {
		next, err := f.Apply(current, []change.Block{b})
		if err != nil {
			return nil, err
		}
		if string(next) != string(current) {
			all = append(all, b)
		}
		current = next
	}
	return all, nil
}

// file is an opened file of a form.
type file interface {
	// apply writes a block as After has it.
	apply(b change.Block) error
	// revert writes a block as Before has it, and reports whether that is done: false = it
	// was edited since or is gone.
	revert(b change.Block) (done bool, err error)
	// lineOf returns the line that a block, or what became of it, is in; 0 = none.
	lineOf(b change.Block) int
	// content returns the file, nil when a block changed it and nothing is left.
	content() []byte
}

func apply(open func(string) (file, error), current []byte, blocks []change.Block) ([]byte, error) {
	if b, ok := whole(blocks); ok {
		return exchange(current, b.Before, b.After)
	}
	f, err := open(string(current))
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if err := f.apply(b); err != nil {
			return nil, err
		}
	}
	return f.content(), nil
}

func revert(open func(string) (file, error), current []byte, blocks []change.Block) (after []byte, kept []change.Block, err error) {
	if b, ok := whole(blocks); ok {
		if after, err := exchange(current, b.After, b.Before); err == nil {
			return after, nil, nil
		}
		b.Line = 1
		return current, []change.Block{b}, nil
	}
	f, err := open(string(current))
	if err != nil {
		return nil, nil, err
	}
	for _, b := range slices.Backward(blocks) {
		done, err := f.revert(b)
		if err != nil {
			return nil, nil, err
		}
		if !done {
			kept = append(kept, b)
		}
	}
	slices.Reverse(kept)
	for i := range kept {
		kept[i].Line = f.lineOf(kept[i])
	}
	// What a person took out already is nothing to keep.
	kept = slices.DeleteFunc(kept, func(b change.Block) bool { return b.Line == 0 && b.Before == "" })
	return f.content(), kept, nil
}

// whole returns the block that is the whole file.
func whole(blocks []change.Block) (b change.Block, ok bool) {
	if len(blocks) == 1 && blocks[0].Place == WholeFile {
		return blocks[0], true
	}
	return b, false
}

// exchange returns the content after for a file that has the content before.
func exchange(current []byte, before, after string) ([]byte, error) {
	switch string(current) {
	case before:
		if after == "" {
			return nil, nil
		}
		return []byte(after), nil
	case after:
		return current, nil
	}
	return nil, conflict("the file")
}
