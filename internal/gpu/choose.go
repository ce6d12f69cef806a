package gpu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tengen/internal/kernel"
)

// Names describes the names that Choose accepts.
const Names = "auto, cpu, gpu, or gpu:1 for the second device"

var names = regexp.MustCompile("^(auto|cpu|gpu(:[0-9]{1,2})?)$")

// CheckName returns an error if a name is none of Names.
func CheckName(name string) error {
	if !names.MatchString(name) {
		return fmt.Errorf("is %q, but must be %s", name, Names)
	}
	return nil
}

// Choose opens the device with a name: gpu is the first of List, gpu:1 the second. It returns nil for auto and cpu.
// warn is as for Open.
func Choose(d Driver, name string, warn func(error)) (*Device, error) {
	if err := CheckName(name); err != nil || !strings.HasPrefix(name, "gpu") {
		return nil, err
	}
	all, err := List(d)
	if err != nil {
		return nil, err
	}
	number := 0
	if _, after, ok := strings.Cut(name, ":"); ok {
		if number, err = strconv.Atoi(after); err != nil || number >= len(all) {
			return nil, fmt.Errorf("there is no device %s: `tengen info --devices` lists %d", name, len(all))
		}
	}
	return Open(d, all[number], warn)
}

// Cards opens the graphics cards that may be able to compute the networks. Without a driver, or one that lists its
// devices, there are none. warn is as for Open.
func Cards(d Driver, warn func(error)) (cards []*Device) {
	all, err := List(d)
	if err != nil || kernel.Name() == "go" { // plain Go has other bits
		return nil
	}
	for _, i := range all {
		if !i.GPU {
			continue
		}
		if device, err := Open(d, i, warn); err == nil {
			cards = append(cards, device)
		}
	}
	return cards
}
