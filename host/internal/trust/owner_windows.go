package trust

// foreign always returns "": mode bits have no meaning on Windows.
func foreign(string) string { return "" }
