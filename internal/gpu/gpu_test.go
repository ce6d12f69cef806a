package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/internal/kernel"
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
	if _, err := List(fake{}); err == nil || !strings.Contains(err.Error(), "no device") {
		t.Errorf("without devices: %v", err)
	}
	long := Info{Name: "\x1b[2J" + strings.Repeat("A", 1000), Driver: strings.Repeat("B", 1000), GPU: true}
	if all, err := List(fake{list: []Info{long}}); err != nil || len(all[0].Name) > 100 || len(all[0].Driver) > 100 || strings.Contains(all[0].Name, "\x1b") {
		t.Errorf("a long name becomes %q, %v", all[0].Name, err)
	}
	missing := errors.New("no library")
	if _, err := List(fake{err: missing}); err != missing {
		t.Errorf("without a library: %v", err)
	}
}

// stuck is a driver that never lists its devices.
type stuck struct {
	fake
	end chan struct{}
}

func (s stuck) Devices() ([]Info, error) { <-s.end; return nil, nil }

// A driver that does not list its devices is given up.
func TestListIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{end: make(chan struct{})}
		defer close(s.end)
		if _, err := List(s); err == nil || !strings.Contains(err.Error(), "has not listed its devices within 10s") {
			t.Errorf("error %v", err)
		}
	})
}

// slow is a driver whose compiler takes a minute.
type slow struct{ fake }

func (s slow) Build(_, _ Handle, _, _ string) (Handle, error) {
	time.Sleep(time.Minute)
	return 1, nil
}

// A slow compilation causes a notice, a quick one does not.
func TestCompilationIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, driver := range []Driver{slow{}, fake{}} {
			var warnings []string
			d, err := Open(driver, card, func(err error) { warnings = append(warnings, err.Error()) })
			if err == nil {
				_, err = d.program("", 3, 3)
			}
			synctest.Wait()
			time.Sleep(time.Minute)
			if _, takesLong := driver.(slow); err != nil || takesLong != (len(warnings) == 1 && strings.Contains(warnings[0], "card: the driver compiles")) {
				t.Errorf("warnings %q, error %v", warnings, err)
			}
		}
	})
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
		{"gpu:3", "", "there is no device gpu:3: `tengen info --devices` lists 3"},
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
	if found := Cards(two, nil); kernel.Name() != "go" && (len(found) != 2 || found[0].Name != "first" || found[1].Name != "second") {
		t.Errorf("of two usable cards there are %d", len(found))
	}
	if found := Cards(fake{list: []Info{{Name: "processor"}}}, nil); len(found) > 0 {
		t.Errorf("a processor is chosen as a card: %v", found[0].Name)
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
