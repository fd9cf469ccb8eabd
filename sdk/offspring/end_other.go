//go:build !linux

package offspring

// End does nothing: the environment of a process cannot be read here. Windows
// ends all with the connector's job object.
func End(string) error { return nil }
