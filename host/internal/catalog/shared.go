package catalog

import (
	"os"
	"sync"
	"weak"
)

// packs are the open packs of a catalog that somebody has: a directory of many tables is read once for all of them.
type packs struct {
	mu  sync.Mutex
	all map[string]weak.Pointer[pack] // by content
}

// at reports whether the pack is the file at a path: a scan that mends a damaged file puts another one there.
func (p *pack) at(path string) bool {
	is, err := p.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(is, now)
}

// open returns the pack of a content. Errors: those of openPack.
func (p *packs) open(path, content string) (*pack, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if has := p.all[content].Value(); has != nil && has.at(path) {
		return has, nil
	}
	opened, err := openPack(path, content)
	if err != nil {
		return nil, err
	}
	for content, of := range p.all {
		if of.Value() == nil {
			delete(p.all, content)
		}
	}
	if p.all == nil {
		p.all = map[string]weak.Pointer[pack]{}
	}
	p.all[content] = weak.Make(opened)
	return opened, nil
}
