package search

// Worth is the weight of a document, apart from its match with a question.
type Worth struct {
	// Share is a factor of the fused score, up to 1; 0 = 1.
	Share float64
	// Behind: among documents whose name equals the question it comes after those that are
	// not Behind.
	Behind bool
}

// ahead is what the level of a document with the name that was asked for rises by when it is
// not Behind: more than any two levels of such documents differ.
const ahead = 2

// weigh looks up what a candidate is worth. Tables and columns are all worth the same.
func (a *ranked) weigh(worth func(Used) Worth) {
	var w Worth
	if a.kind != Table && a.kind != Column {
		s := a.part.s
		id, _, name := s.id(a.document)
		w = worth(Used{Kind: a.kind, Connection: s.meta.Connections[s.connection[a.document]], ID: id, Name: name})
	}
	if w.Share > 0 {
		a.share = w.Share
	}
	if a.level > 0 && !w.Behind {
		a.level += ahead
	}
}
