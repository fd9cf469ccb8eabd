package compile

// bySeason refuses what goes by periods of a calendar and is not computed.
func (br *branch) bySeason(s step, measure string) error {
	of := s.shift
	if s.window != nil {
		of = &s.window.Window
	}
	season := br.clock.dim != nil && br.clock.dim.season != nil
	if !season && !isPeriod(of.Grain) && (s.window == nil || !isPeriod(s.window.ToDate)) {
		return nil
	}
	return refuse(CodeNotSupported, "%s goes by time, and periods of a calendar are grouped by alone", measure).of(measure).
		fix("leave the measure out, or use another granularity")
}
