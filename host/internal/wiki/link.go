package wiki

import "slices"

// Linked returns the key that a relative address on the page of a key leads to: "../finance/arr.md".
func Linked(address, key string) (string, bool) { return relative(address, key) }

// Find returns a page by its key, else by an alias that no other page has. Unlike Page it looks for no page nearby.
func (v *View) Find(key string) (*Page, bool) {
	p := v.pages[key]
	if !v.has(p) {
		p = v.named(key)
	}
	if p == nil {
		return nil, false
	}
	one := *p
	return &one, true
}

// LinksTo returns the pages that link to a page by its key or an alias, in the order of their keys.
func (v *View) LinksTo(key string) (all []*Page) {
	to, ok := v.Find(key)
	if !ok || to.Key != key {
		return nil
	}
	alias := func(link string) bool { // it leads to the page unless another one has that key or alias
		found, ok := v.Find(link)
		return ok && found.Key == key
	}
	for p := range v.Pages() {
		if p.Key != key && slices.ContainsFunc(p.Links, func(link string) bool { return link == key || len(to.Aliases) > 0 && alias(link) }) {
			all = append(all, p)
		}
	}
	return all
}

// BodyOf returns what follows the frontmatter of a page's file; all of it where the frontmatter has no end.
func BodyOf(file string) string {
	_, body, err := split([]byte(file))
	if err != nil {
		return file
	}
	return string(body)
}
