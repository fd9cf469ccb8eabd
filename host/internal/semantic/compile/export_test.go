package compile

// Meaningless are the combinations of measures that are refused, as the kind outside,
// the kind inside and the reason.
func Meaningless() (all [][3]string) {
	for _, n := range meaningless {
		all = append(all, [3]string{string(n.outer), string(n.inner), n.why})
	}
	return all
}
