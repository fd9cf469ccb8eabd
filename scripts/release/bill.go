package main

import (
	"os"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes the bill of materials of an archive in CycloneDX 1.6: its programs, and
// the modules that each of them is linked from.
func (r *release) writeBill(path string, p platform, i inventory) error {
	product := cdx.Component{BOMRef: "loam", Type: cdx.ComponentTypeApplication, Name: "loam", Version: r.version, PackageURL: "pkg:golang/" + loamModule + "@v" + r.version}
	components, dependencies := []cdx.Component{}, []cdx.Dependency{}
	parts := []string{}
	library := func(module, version string) string {
		return "pkg:golang/" + module + "@" + version
	}
	for _, program := range i.programs {
		components = append(components, cdx.Component{
			BOMRef: program.name, Type: cdx.ComponentTypeApplication, Name: program.name, Version: r.version,
			Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: program.sum}},
			Properties: &[]cdx.Property{{Name: "platform", Value: p.String()}},
		})
		uses := []string{library("std", program.goVer)}
		for _, m := range program.modules {
			uses = append(uses, library(m.Path, m.Version))
		}
		parts = append(parts, program.name)
		dependencies = append(dependencies, cdx.Dependency{Ref: program.name, Dependencies: &uses})
	}
	dependencies = append(dependencies, cdx.Dependency{Ref: product.BOMRef, Dependencies: &parts})
	add := func(module, version string) {
		ref := library(module, version)
		components = append(components, cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: module, Version: version, PackageURL: ref})
	}
	for _, m := range i.modules {
		add(m.Path, m.Version)
	}
	add("std", i.programs[0].goVer) // all programs are built by one toolchain
	bill := cdx.NewBOM()
	bill.Metadata = &cdx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &product}
	bill.Components, bill.Dependencies = &components, &dependencies
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cdx.SpecVersion1_6); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
