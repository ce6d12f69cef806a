package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// fake is a driver whose devices compute nothing.
type fake struct {
	Driver
	list    []Info
	err     error // of Devices
	compile error
	alloc   error
	launch  error
	read    func() error
}

func (f fake) Devices() ([]Info, error)                       { return f.list, f.err }
func (f fake) Context(Handle) (Handle, error)                 { return 1, nil }
func (f fake) Build(_, _ Handle, _, _ string) (Handle, error) { return 1, f.compile }
func (f fake) Queue(_, _ Handle) (Handle, error)              { return 1, nil }
func (f fake) Alloc(Handle, int) (Handle, error)              { return 1, f.alloc }
func (f fake) Kernel(Handle, string) (Handle, error)          { return 1, nil }
func (f fake) Argument(Handle, int, any) error                { return nil }
func (f fake) Launch(_, _ Handle, _, _ [3]int) error          { return f.launch }
func (f fake) Write(_, _ Handle, _ []byte) error              { return nil }
func (f fake) Read(_, _ Handle, _ []byte) error               { return f.read() }
func (f fake) Release(Kind, Handle)                           {}

var card = Info{Name: "card", GPU: true}

// Cards come first. A machine without devices has an error that says what to do.
func TestList(t *testing.T) {
	all, err := List(fake{list: []Info{{Name: "processor"}, card}})
	if err != nil || len(all) != 2 || all[0].Name != "card" {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := List(fake{}); err == nil || !strings.Contains(err.Error(), "install the driver") {
		t.Errorf("without devices: %v", err)
	}
	missing := errors.New("no library")
	if _, err := List(fake{err: missing}); err != missing {
		t.Errorf("without a library: %v", err)
	}
}

func TestChoose(t *testing.T) {
	two := fake{list: []Info{{Name: "first", GPU: true}, {Name: "second", GPU: true}, {Name: "bad", Problem: "it rounds"}}}
	for _, test := range []struct{ name, device, problem string }{
		{"cpu", "", ""},
		{"auto", "", ""},
		{"gpu", "first", ""},
		{"gpu:0", "first", ""},
		{"gpu:1", "second", ""},
		{"gpu:2", "", "bad: it rounds"},
		{"gpu:3", "", "there is no device gpu:3: tengen info --devices lists 3"},
		{"tpu", "", `is "tpu", but must be auto, cpu, gpu`},
		{"gpu:", "", `is "gpu:"`},
	} {
		d, err := Choose(two, test.name, nil)
		switch {
		case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
			t.Errorf("%s: error %v, want %s", test.name, err, test.problem)
		case test.problem == "" && (err != nil || (d == nil) != (test.device == "")):
			t.Errorf("%s: %v, %v", test.name, d, err)
		case d != nil && d.Name != test.device:
			t.Errorf("%s is %s, want %s", test.name, d.Name, test.device)
		}
	}
	if d := Card(fake{list: []Info{{Name: "processor"}}}, nil); d != nil {
		t.Errorf("a processor is chosen as a card: %v", d.Name)
	}
}

// A device that fails or does not answer is given up, with one warning that says why.
func TestDeviceIsLost(t *testing.T) {
	fails := errors.New("it fails")
	for name, test := range map[string]struct {
		driver fake
		want   string
	}{
		"launch":  {fake{launch: fails}, "card: it fails"},
		"answer":  {fake{read: func() error { return fails }}, "card: it fails"},
		"silence": {fake{read: func() error { select {} }}, "no answer within 1ms"},
	} {
		t.Run(name, func(t *testing.T) {
			var warnings []error
			d, err := Open(test.driver, card, func(err error) { warnings = append(warnings, err) })
			if err != nil {
				t.Fatal(err)
			}
			if name == "silence" {
				d.limit = time.Millisecond
			}
			n, err := d.NewNetwork(3, 4, 1, 2)
			if err == nil {
				y := n.Result(2)
				n.Pool(y, n.Result(12), 1)
				if err = n.Load(); err == nil {
					err = n.Forward(1, make([]byte, 12), Output{y, make([]float32, 4)})
				}
			}
			d.Lose(errors.New("later"))
			if err == nil || !strings.Contains(err.Error(), test.want) || len(warnings) != 1 ||
				fmt.Sprint(warnings[0]) != fmt.Sprintf("%v: the processor computes instead", err) {
				t.Errorf("error %v, warnings %v, want %s", err, warnings, test.want)
			}
			if d.Lost() == nil || n != nil && n.Forward(1, nil) == nil {
				t.Error("the device is used on")
			}
		})
	}
}

// What cannot be compiled, or has no room, is an error, but the device may have other networks.
func TestNetworkFails(t *testing.T) {
	fails := errors.New("it fails")
	for want, driver := range map[string]fake{
		"the driver cannot compile the kernels: it fails": {compile: fails},
		"MB of its memory: it fails":                      {alloc: fails},
	} {
		d, err := Open(driver, card, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		n, err := d.NewNetwork(3, 4, 1, 2)
		if err == nil {
			n.Pool(n.Result(2), n.Result(12), 1)
			err = n.Load()
		}
		if err == nil || !strings.Contains(err.Error(), want) || d.Lost() != nil {
			t.Errorf("error %v, want %s; lost: %v", err, want, d.Lost())
		}
	}
}
